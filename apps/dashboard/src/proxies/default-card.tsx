import { NativeSelect, Stack } from '@mantine/core';
import { useChange, useGet } from '../api/queries.ts';
import { Card } from '../parts/page.tsx';
import { Loaded, Problem } from '../parts/states.tsx';

/** The proxy of creates that name none. */
export function DefaultCard() {
  const standard = useGet('/user/api/default-proxy');
  const proxies = useGet('/user/api/proxies').data?.proxies ?? [];
  const pools = useGet('/user/api/proxy-pools').data?.pools ?? [];
  const change = useChange('PUT /user/api/default-proxy', {
    stale: ['/user/api/default-proxy', '/user/api/proxies', '/user/api/proxy-pools'],
  });
  const named = (kind: string, list: readonly { name: string }[]) =>
    list.map(({ name }) => ({ value: `${kind}:${name}`, label: `${kind}:${name}` }));
  return (
    <Card title="Default proxy" about="A create without a proxy uses it.">
      <Loaded query={standard}>
        {({ proxy }) => (
          <Stack gap="sm">
            <NativeSelect
              label="Default"
              data={[
                { value: '', label: 'None: a create must name its proxy' },
                ...named('name', proxies),
                ...named('pool', pools),
              ]}
              value={proxy ?? ''}
              disabled={change.isPending}
              onChange={(event) => change.mutate({ proxy: event.currentTarget.value || null })}
            />
            {change.error && <Problem error={change.error} />}
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}
