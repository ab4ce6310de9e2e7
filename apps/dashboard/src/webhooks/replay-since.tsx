import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { usePost } from '../api/queries.ts';
import { Form } from '../parts/forms/form.tsx';
import { Card } from '../parts/page.tsx';
import { Problem } from '../parts/states.tsx';
import { counted } from '../parts/values/figures.ts';

const dayMs = 86_400_000;

/** The value of a `datetime-local` input, in the viewer's time zone. */
function localMinute(at: number): string {
  const offsetMs = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - offsetMs).toISOString().slice(0, 16);
}

/** Sends all events since a point in time again, including those from before the webhook was created. */
export function ReplaySince({ id }: { id: string }) {
  const [since, setSince] = useState(() => localMinute(Date.now() - dayMs));
  const replay = usePost('/user/api/webhooks/:id/replay', { params: { id }, stale: ['/user/api/webhooks'] });
  return (
    <Card title="Replay" about="Sends all events since a point in time again. Events are kept for 30 days.">
      <Stack gap="sm">
        <Form className="filters" onSubmit={() => replay.mutate({ since: new Date(since).toISOString() })}>
          <TextInput
            label="Since"
            type="datetime-local"
            required
            value={since}
            onChange={(event) => setSince(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={replay.isPending}>
            Replay events
          </Button>
        </Form>
        {replay.error && <Problem error={replay.error} />}
        {replay.data && (
          <Text size="sm" role="status">
            {replay.data.replayed === 0
              ? 'No events to replay.'
              : `${counted(replay.data.replayed, 'event')} will be sent again.`}
          </Text>
        )}
      </Stack>
    </Card>
  );
}
