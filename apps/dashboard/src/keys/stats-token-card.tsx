import { Button, Stack, Text } from '@mantine/core';
import type { StatsToken } from '@turnpike/contract/dashboard/account-pages';
import { useState } from 'react';
import { usePost } from '../api/queries.ts';
import { Confirm } from '../parts/forms/confirm.tsx';
import { Card } from '../parts/page.tsx';
import { Problem } from '../parts/states.tsx';
import { Code } from '../parts/values/code.tsx';
import { Secret } from '../parts/values/secret.tsx';
import { Rotated } from './rotated.tsx';

export function StatsTokenCard({ exists, rotatedAt }: { exists: boolean; rotatedAt: string | null }) {
  const [token, setToken] = useState<string>();
  const reveal = usePost('/keys/stats-token/reveal', { stale: ['/keys'] });
  const rotate = usePost('/keys/stats-token/rotate', { stale: ['/keys'] });
  const show = ({ statsToken }: StatsToken) => setToken(statsToken);
  const revealAction = exists ? 'Reveal' : 'Generate';
  return (
    <Card
      title="Statistics token"
      about={<Rotated at={rotatedAt} never="Reads bandwidth statistics only." />}
      actions={
        <>
          {token ? (
            <Button
              variant="default"
              onClick={() => setToken(undefined)}
              aria-label="Hide the statistics token"
            >
              Hide
            </Button>
          ) : (
            <Button
              variant="default"
              loading={reveal.isPending}
              onClick={() => reveal.mutate(undefined, { onSuccess: show })}
              aria-label={`${revealAction} the statistics token`}
            >
              {revealAction}
            </Button>
          )}
          {exists && (
            <Confirm
              action="Rotate"
              about="the statistics token"
              title="Rotate the statistics token?"
              mutation={rotate}
              onDone={show}
              danger
            >
              The current token stops working at once.
            </Confirm>
          )}
        </>
      }
    >
      {reveal.error && <Problem error={reveal.error} />}
      {token ? (
        <Stack gap="sm">
          <Secret name="Statistics token" value={token} />
          <Code
            name="Command to test the token"
            code={`curl -H 'authorization: Bearer ${token}' \\\n  '${location.origin}/api/users/stats/residential/summary'`}
          />
        </Stack>
      ) : (
        <Text size="sm" c="dimmed">
          {exists ? 'It is hidden until you reveal it. Programs send it as a bearer token.' : 'No token yet.'}
        </Text>
      )}
    </Card>
  );
}
