import { Anchor } from '@mantine/core';
import type { OperatorOverview as OverviewData } from '@turnpike/contract/dashboard/operator-pages';
import { Link } from 'react-router';
import { useGet, usePages } from '../api/queries.ts';
import { Meter } from '../parts/charts/meter.tsx';
import { Card, Figure, Page } from '../parts/page.tsx';
import { Loaded } from '../parts/states.tsx';
import { count, counted, percent } from '../parts/values/figures.ts';
import { ServiceCharts } from './service-charts.tsx';
import { SessionsTable } from './sessions-table.tsx';

export function OperatorOverview() {
  const overview = useGet('/operator/overview', { everyMs: 5_000 });
  const running = usePages('/operator/sessions', {
    query: { status: 'ACTIVE', limit: 10 },
    everyMs: 5_000,
  });
  return (
    <Page title="Overview" about="All accounts and hosts together">
      <div className="stack">
        <Loaded query={overview}>{(data) => <Figures overview={data} />}</Loaded>
        <Card
          title="Running now"
          flush
          actions={
            <Anchor component={Link} to="/sessions" size="sm">
              All sessions
            </Anchor>
          }
        >
          <SessionsTable query={running} emptyText="No session is running" only="running" />
        </Card>
        <ServiceCharts />
      </div>
    </Page>
  );
}

function Figures({ overview }: { overview: OverviewData }) {
  const { sessions, seats, hosts, accounts } = overview;
  const share = seats ? sessions.running / seats : 0;
  return (
    <div className="figures">
      <Figure
        name="Running sessions"
        value={count(sessions.running)}
        note={sessions.starting ? `${count(sessions.starting)} starting` : 'none starting'}
      />
      <Figure
        name="Seats in use"
        value={seats === null ? '–' : percent(share)}
        note={
          seats === null ? (
            'Hosts have not reported their seats'
          ) : (
            <>
              {count(sessions.running)} of {counted(seats, 'seat')}
              <Meter share={share} />
            </>
          )
        }
      />
      <Figure
        name="Hosts"
        value={count(hosts.live)}
        note={`live; ${count(hosts.draining)} draining, ${count(hosts.lost)} lost`}
      />
      <Figure
        name="Accounts"
        value={count(accounts.active)}
        note={`active; ${count(accounts.suspended)} suspended`}
      />
    </div>
  );
}
