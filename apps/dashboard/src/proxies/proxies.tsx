import { Anchor } from '@mantine/core';
import { maxSavedProxies, type SavedProxy } from '@turnpike/contract/proxies';
import { Link } from 'react-router';
import { useGet } from '../api/queries.ts';
import { Card, Page } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { type Column, DataTable } from '../parts/tables/data-table.tsx';
import { bytes, costText } from '../parts/values/figures.ts';
import { Status } from '../parts/values/status.tsx';
import { CheckButton } from './check-button.tsx';
import { DefaultCard } from './default-card.tsx';
import { PoolsCard } from './pools-card.tsx';
import { ProxyFormButton } from './proxy-form.tsx';
import { exitText } from './proxy-text.ts';

interface Row extends SavedProxy {
  bytes: number | undefined;
  cost: number | null | undefined;
}

const columns: readonly Column<Row>[] = [
  {
    name: 'Name',
    cell: ({ name, url, isDefault }) => (
      <>
        <Anchor component={Link} to={`/proxies/${encodeURIComponent(name)}`} className="break">
          {name}
        </Anchor>
        {isDefault && <span className="faint"> default</span>}
        <div className="faint mono break">{url}</div>
      </>
    ),
    sortBy: ({ name }) => name,
  },
  {
    name: 'State',
    cell: ({ health: { state, lastError } }) => (
      <>
        <Status of={state} />
        {state === 'failing' && lastError && <div className="faint">{lastError}</div>}
      </>
    ),
    sortBy: ({ health }) => health.state,
  },
  { name: 'Exit', cell: exitText, sortBy: exitText },
  {
    name: 'Traffic, 30 days',
    numeric: true,
    cell: (row) => (row.bytes === undefined ? '–' : bytes(row.bytes)),
    sortBy: (row) => row.bytes ?? null,
  },
  {
    name: 'Cost, 30 days',
    numeric: true,
    cell: ({ cost }) => costText(cost),
    sortBy: ({ cost }) => cost ?? null,
  },
  { name: 'Actions', actions: true, cell: ({ name }) => <CheckButton name={name} /> },
];

/** The proxies that the account has saved, its pools and its default. */
export function Proxies() {
  const proxies = useGet('/user/api/proxies', { everyMs: 5_000 });
  const sums = useGet('/proxies/sums', { everyMs: 30_000 });
  const rows = (list: readonly SavedProxy[]): Row[] => {
    const byName = new Map(sums.data?.proxies.map((sum) => [sum.name, sum]));
    return list.map((proxy) => {
      const sum = byName.get(proxy.name);
      return { ...proxy, bytes: sum && sum.bytesUp + sum.bytesDown, cost: sum?.cost };
    });
  };
  const count = proxies.data?.proxies.length;
  return (
    <Page
      title="Proxies"
      about="Save your proxies once, and name them in your creates. Passwords are stored encrypted and never shown again."
    >
      <div className="stack">
        <Card
          title="Saved proxies"
          {...(count !== undefined && { about: `${count} of ${maxSavedProxies}` })}
          actions={<ProxyFormButton />}
          flush
        >
          <Loaded query={proxies}>
            {({ proxies: list }) => (
              <DataTable
                label="Saved proxies"
                rows={rows(list)}
                rowKey={({ name }) => name}
                columns={columns}
                empty={
                  <Empty icon="proxies" title="No saved proxies yet">
                    Add one, and create sessions with <code>proxy=name:…</code>.
                  </Empty>
                }
              />
            )}
          </Loaded>
        </Card>
        <PoolsCard />
        <DefaultCard />
      </div>
    </Page>
  );
}
