import { Stack, Switch } from '@mantine/core';
import { useGet, usePost } from '../api/queries.ts';
import { Card } from '../parts/page.tsx';
import { Loaded, Problem } from '../parts/states.tsx';

/** Whether the account allows page calls and crawls. */
export function AllowedCard() {
  const settings = useGet('/user/api/settings');
  const change = usePost('/user/api/settings', { stale: ['/user/api/settings'] });
  return (
    <Card title="Page calls" about="For this page, for programs with your key, and for crawls.">
      <Loaded query={settings}>
        {({ pageCalls }) => (
          <Stack gap="sm">
            <Switch
              label="Allow page calls and crawls"
              description="Off: they are refused, and crawls that run wait. Sessions that you drive yourself go on."
              checked={pageCalls}
              disabled={change.isPending}
              onChange={(event) => change.mutate({ pageCalls: event.currentTarget.checked })}
            />
            {change.error && <Problem error={change.error} />}
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}
