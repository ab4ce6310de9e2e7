import { Stack, Text } from '@mantine/core';
import { useGet, usePost } from '../api/queries.ts';
import { Confirm } from '../parts/forms/confirm.tsx';
import { Card, Page } from '../parts/page.tsx';
import { Loaded } from '../parts/states.tsx';
import { Code } from '../parts/values/code.tsx';
import { Secret, ShownOnce } from '../parts/values/secret.tsx';
import { ProxyCard } from './proxy-card.tsx';
import { Rotated } from './rotated.tsx';
import { StatsTokenCard } from './stats-token-card.tsx';
import { UseInGuides } from './use-in-guides.tsx';

export function Keys() {
  const keys = useGet('/keys');
  return (
    <Page title="Keys" about="Credentials for your programs. Keep them secret.">
      <Loaded query={keys} lines={8}>
        {(data) => (
          <div className="stack">
            <ApiKeyCard rotatedAt={data.apiKey.rotatedAt} />
            <StatsTokenCard {...data.statsToken} />
            <ProxyCard {...data.proxy} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function ApiKeyCard({ rotatedAt }: { rotatedAt: string | null }) {
  const rotate = usePost('/user/api/regenerate-key', { stale: ['/keys'] });
  const apiKey = rotate.data?.apiKey;
  return (
    <Card
      title="API key"
      about={<Rotated at={rotatedAt} never="Creates, lists and closes sessions." />}
      actions={
        <Confirm action="Rotate" about="the API key" title="Rotate the API key?" mutation={rotate} danger>
          The current key stops working at once. Every program that uses it gets 401 until it has the new one.
          Running sessions continue.
        </Confirm>
      }
    >
      {apiKey ? (
        <Stack gap="sm">
          <ShownOnce>The old key no longer works.</ShownOnce>
          <Secret name="API key" value={apiKey} />
          <Code
            name="Command to test the key"
            code={`curl -H 'x-api-key: ${apiKey}' '${location.origin}/user/api/me'`}
          />
          <UseInGuides apiKey={apiKey} />
        </Stack>
      ) : (
        <Text size="sm" c="dimmed">
          Only a hash of your key is stored, so it cannot be shown again. If you lose it, rotate it. Programs
          send it in the <code>x-api-key</code> header.
        </Text>
      )}
    </Card>
  );
}
