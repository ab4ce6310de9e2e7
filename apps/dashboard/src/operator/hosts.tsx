import type { OperatorHost } from '@turnpike/contract/dashboard/operator-pages';
import { useGet, usePost } from '../api/queries.ts';
import { Meter } from '../parts/charts/meter.tsx';
import { Confirm } from '../parts/forms/confirm.tsx';
import { Card, Page } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { type Column, DataTable } from '../parts/tables/data-table.tsx';
import { count, percent } from '../parts/values/figures.ts';
import { Status } from '../parts/values/status.tsx';
import { Ago } from '../parts/values/time.tsx';

const columns: readonly Column<OperatorHost>[] = [
  {
    name: 'Host',
    cell: ({ name, region, publicUrl }) => (
      <>
        {name}
        <div className="faint">{region ? `${region} · ${publicUrl}` : publicUrl}</div>
      </>
    ),
  },
  { name: 'State', cell: ({ state }) => <Status of={state} /> },
  {
    name: 'Sessions',
    numeric: true,
    cell: ({ sessions, seats }) =>
      seats === null ? count(sessions) : `${count(sessions)} of ${count(seats)}`,
  },
  {
    name: 'Load',
    cell: ({ load }) =>
      load === null ? (
        '–'
      ) : (
        <div className="load">
          {percent(load)}
          <Meter share={load} />
        </div>
      ),
  },
  {
    name: 'Versions',
    cell: ({ version, chromiumVersion }) => (
      <>
        {version ?? '–'}
        {chromiumVersion && <div className="faint">Chromium {chromiumVersion}</div>}
      </>
    ),
  },
  { name: 'Heartbeat', cell: ({ heartbeatAt }) => <Ago at={heartbeatAt} /> },
  { name: 'Actions', actions: true, cell: (host) => <HostActions host={host} /> },
];

export function Hosts() {
  const hosts = useGet('/operator/hosts', { everyMs: 2_000 });
  return (
    <Page title="Hosts" about="The machines that run browsers">
      <Card flush>
        <Loaded query={hosts}>
          {({ hosts: list }) => (
            <DataTable
              label="Hosts"
              columns={columns}
              rows={list}
              rowKey={({ name }) => name}
              empty={<Empty icon="hosts" title="No host has reported yet" />}
            />
          )}
        </Loaded>
      </Card>
    </Page>
  );
}

function HostActions({ host: { name, state, sessions } }: { host: OperatorHost }) {
  const change = { params: { name }, stale: ['/operator/hosts', '/operator/overview'] } as const;
  const drain = usePost('/operator/hosts/:name/drain', change);
  const undrain = usePost('/operator/hosts/:name/undrain', change);
  const remove = usePost('/operator/hosts/:name/remove', change);
  return (
    <>
      {state === 'live' && (
        <Confirm action="Drain" about={name} title={`Drain ${name}?`} mutation={drain} size="xs">
          It gets no new sessions. Running sessions continue.
        </Confirm>
      )}
      {state === 'draining' && (
        <Confirm action="Undrain" about={name} title={`Undrain ${name}?`} mutation={undrain} size="xs">
          It gets new sessions again.
        </Confirm>
      )}
      {(state === 'lost' || (state === 'draining' && sessions === 0)) && (
        <Confirm action="Remove" about={name} title={`Remove ${name}?`} mutation={remove} danger size="xs">
          It is removed from the list. Its browsers are closed. If its process is started again, it joins
          again.
        </Confirm>
      )}
    </>
  );
}
