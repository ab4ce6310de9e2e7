import { Anchor } from '@mantine/core';
import type { ProxyPool } from '@turnpike/contract/proxies';
import { Link, useNavigate, useParams } from 'react-router';
import { useGet } from '../api/queries.ts';
import { BackButton } from '../parts/back-button.tsx';
import { Card, Fact, Facts, Page } from '../parts/page.tsx';
import { Loaded } from '../parts/states.tsx';
import { type Column, DataTable } from '../parts/tables/data-table.tsx';
import { Status } from '../parts/values/status.tsx';
import { Time } from '../parts/values/time.tsx';
import { DeletePool } from './delete-buttons.tsx';
import { policyNames } from './policies.ts';
import { PoolFormButton } from './pool-form.tsx';
import { UsageCharts } from './usage-charts.tsx';

type Member = ProxyPool['members'][number] & { position: number };

const columns: readonly Column<Member>[] = [
  { name: 'Position', cell: ({ position }) => position },
  {
    name: 'Proxy',
    cell: ({ name }) => (
      <Anchor component={Link} to={`/proxies/${encodeURIComponent(name)}`} className="break">
        {name}
      </Anchor>
    ),
  },
  { name: 'State', cell: ({ state }) => <Status of={state} /> },
];

/** One pool: its members in their order, and what sessions have seen of it. */
export function PoolPage() {
  const { name = '' } = useParams();
  const navigate = useNavigate();
  const query = useGet('/user/api/proxy-pools/:name', { params: { name }, everyMs: 5_000 });
  const usage = useGet('/user/api/proxy-pools/:name/usage', { params: { name }, everyMs: 30_000 });
  return (
    <Page
      title="Pool"
      about={<span className="mono break">pool:{name}</span>}
      actions={
        <>
          <BackButton to="/proxies">Proxies</BackButton>
          {query.data && (
            <>
              <PoolFormButton pool={query.data} />
              <DeletePool name={name} onDone={() => void navigate('/proxies')} />
            </>
          )}
        </>
      }
    >
      <Loaded query={query} lines={8}>
        {(pool) => (
          <div className="stack">
            <div className="columns">
              <Card title="Pool">
                <Facts>
                  <Fact name="Policy">{policyNames[pool.policy]}</Fact>
                  {pool.isDefault && <Fact name="Default">Creates without a proxy use it</Fact>}
                  <Fact name="Added">
                    <Time at={pool.createdAt} />
                  </Fact>
                </Facts>
              </Card>
              <Card title="Members" about="In their order" flush>
                <DataTable
                  label="Members of the pool"
                  rows={pool.members.map((member, index) => ({ ...member, position: index + 1 }))}
                  rowKey={({ name: member }) => member}
                  columns={columns}
                />
              </Card>
            </div>
            <Loaded query={usage}>{(data) => <UsageCharts usage={data} />}</Loaded>
          </div>
        )}
      </Loaded>
    </Page>
  );
}
