import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { usePost } from '../api/queries.ts';
import { Card } from '../parts/page.tsx';
import { Problem } from '../parts/states.tsx';
import { Code } from '../parts/values/code.tsx';
import { Secret } from '../parts/values/secret.tsx';
import { RevealActions } from './reveal-actions.tsx';
import { Rotated } from './rotated.tsx';

export function StatsTokenCard({ exists, rotatedAt }: { exists: boolean; rotatedAt: string | null }) {
  const [token, setToken] = useState<string>();
  const reveal = usePost('/keys/stats-token/reveal', { stale: ['/keys'] });
  const rotate = usePost('/keys/stats-token/rotate', { stale: ['/keys'] });
  return (
    <Card
      title="Statistics token"
      about={<Rotated at={rotatedAt} never="Reads bandwidth statistics only." />}
      actions={
        <RevealActions
          what="the statistics token"
          exists={exists}
          isShown={token !== undefined}
          reveal={reveal}
          rotate={rotate}
          onChange={(answer) => setToken(answer?.statsToken)}
        >
          The current token stops working at once.
        </RevealActions>
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
