import { Anchor } from '@mantine/core';
import { maxProxyPools, type ProxyPool } from '@turnpike/contract/proxies';
import { Link } from 'react-router';
import { useGet } from '../api/queries.ts';
import { Card } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { type Column, DataTable } from '../parts/tables/data-table.tsx';
import { DeletePool } from './delete-buttons.tsx';
import { policyNames } from './policies.ts';
import { PoolFormButton } from './pool-form.tsx';

const columns: readonly Column<ProxyPool>[] = [
  {
    name: 'Pool',
    cell: ({ name, isDefault }) => (
      <>
        <Anchor component={Link} to={`/proxies/pools/${encodeURIComponent(name)}`} className="break">
          {name}
        </Anchor>
        {isDefault && <span className="faint"> default</span>}
      </>
    ),
    sortBy: ({ name }) => name,
  },
  { name: 'Policy', cell: ({ policy }) => policyNames[policy] },
  {
    name: 'Members',
    cell: ({ members }) => <span className="break">{members.map(({ name }) => name).join(', ')}</span>,
  },
  {
    name: 'Failing',
    numeric: true,
    cell: ({ members }) => members.filter(({ state }) => state === 'failing').length,
  },
  {
    name: 'Actions',
    actions: true,
    cell: (pool) => <DeletePool name={pool.name} size="xs" />,
  },
];

/** Lists of saved proxies, of which each create gets one. */
export function PoolsCard() {
  const pools = useGet('/user/api/proxy-pools', { everyMs: 5_000 });
  const count = pools.data?.pools.length;
  return (
    <Card
      title="Pools"
      {...(count !== undefined && { about: `${count} of ${maxProxyPools}` })}
      actions={<PoolFormButton />}
      flush
    >
      <Loaded query={pools}>
        {({ pools: list }) => (
          <DataTable
            label="Pools"
            rows={list}
            rowKey={({ name }) => name}
            columns={columns}
            empty={
              <Empty icon="proxies" title="No pools yet">
                A pool is a list of saved proxies. A create with <code>proxy=pool:…</code> gets one of them.
              </Empty>
            }
          />
        )}
      </Loaded>
    </Card>
  );
}
