import { Button, Group, Modal, NativeSelect, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { usePost } from '../api/queries.ts';
import { Icon } from '../parts/icons.tsx';
import { Problem } from '../parts/states.tsx';
import { CopyButton } from '../parts/values/copy-button.tsx';
import { Time } from '../parts/values/time.tsx';

const times = [
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '168', label: '7 days' },
  { value: '720', label: '30 days' },
];

/** Creates a link that reads this recording without signing in, until it expires. */
export function ShareButton({ id }: { id: string }) {
  const [opened, { open, close }] = useDisclosure(false);
  const [hours, setHours] = useState('24');
  const share = usePost('/api/browser/:id/recording/share', { params: { id } });
  const link = share.data;
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="share" size={16} />}
        onClick={() => {
          share.reset();
          open();
        }}
      >
        Share
      </Button>
      <Modal opened={opened} onClose={close} title="Share this recording">
        <div className="stack">
          <Text size="sm">
            Anyone who has the link can watch this recording, without signing in. It shows what the pages
            showed. The link works until it expires or the recording is deleted.
          </Text>
          {link ? (
            <>
              <fieldset className="secret" aria-label="Link">
                <code>{link.url}</code>
                <CopyButton value={link.url} what="link" />
              </fieldset>
              <Text size="sm" c="dimmed">
                Expires <Time at={link.expiresAt} />
              </Text>
            </>
          ) : (
            <NativeSelect
              label="Expires after"
              value={hours}
              data={times}
              onChange={(event) => setHours(event.currentTarget.value)}
            />
          )}
          {share.error && <Problem error={share.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {link ? 'Done' : 'Cancel'}
            </Button>
            {!link && (
              <Button loading={share.isPending} onClick={() => share.mutate({ hours: Number(hours) })}>
                Create link
              </Button>
            )}
          </Group>
        </div>
      </Modal>
    </>
  );
}
