import { Group } from '@mantine/core';
import type { OperatorAccount } from '@turnpike/contract/dashboard/operator-pages';
import { useParams } from 'react-router';
import { useGet, usePages, usePost } from '../api/queries.ts';
import { BackButton } from '../parts/back-button.tsx';
import { ProductBars } from '../parts/charts/product-bars.tsx';
import { Confirm } from '../parts/forms/confirm.tsx';
import { Card, Fact, Facts, Page } from '../parts/page.tsx';
import { Loaded } from '../parts/states.tsx';
import { DayRangeInputs, useDayRange } from '../parts/tables/day-range.tsx';
import { count, hours } from '../parts/values/figures.ts';
import { Status } from '../parts/values/status.tsx';
import { Ago, Time } from '../parts/values/time.tsx';
import { UsageCharts } from '../usage/usage-charts.tsx';
import { AccountAccess } from './account-access.tsx';
import { LimitsForm } from './limits-form.tsx';
import { SessionsTable } from './sessions-table.tsx';

export function Account() {
  const { id = '' } = useParams();
  const query = useGet('/operator/accounts/:id', { params: { id }, everyMs: 10_000 });
  return (
    <Page
      title={query.data?.email ?? 'Account'}
      about={query.data?.name || undefined}
      actions={<BackButton to="/accounts">Accounts</BackButton>}
    >
      <Loaded query={query} lines={8}>
        {(account) => (
          <div className="stack">
            <div className="columns">
              <About account={account} />
              <LimitsForm key={account.id} account={account} />
            </div>
            <AccountAccess account={account} />
            <RecentSessions accountId={account.id} />
            <Usage accountId={account.id} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function About({ account }: { account: OperatorAccount }) {
  const change = { params: { id: account.id }, stale: ['/operator/accounts', '/operator/overview'] } as const;
  const suspend = usePost('/operator/accounts/:id/suspend', change);
  const reinstate = usePost('/operator/accounts/:id/reinstate', change);
  const { usage, signIn } = account;
  return (
    <Card
      title="Account"
      actions={
        account.status === 'active' ? (
          <Confirm action="Suspend" title="Suspend this account?" mutation={suspend} danger>
            Its key, tokens and sign-in stop working at once. Running sessions continue until you close them
            or they expire. You can reinstate it later.
          </Confirm>
        ) : (
          <Confirm action="Reinstate" title="Reinstate this account?" mutation={reinstate}>
            Its key, tokens and sign-in work again at once.
          </Confirm>
        )
      }
    >
      <Facts>
        <Fact name="State">
          <Status of={account.status} />
        </Fact>
        <Fact name="Id">
          <span className="mono">{account.id}</span>
        </Fact>
        <Fact name="Created">
          <Time at={account.createdAt} />
        </Fact>
        <Fact name="Running sessions">{count(usage.running)}</Fact>
        <Fact name="Browser hours">
          {hours(usage.browserSeconds)} used
          {usage.remainingSeconds !== null && `, ${hours(usage.remainingSeconds)} left `}
          {usage.remainingSeconds === 0 && <Status of="capReached" />}
        </Fact>
        <Fact name="Last sign-in">{signIn.lastAt ? <Ago at={signIn.lastAt} /> : 'Never'}</Fact>
      </Facts>
    </Card>
  );
}

function RecentSessions({ accountId }: { accountId: string }) {
  const sessions = usePages('/operator/sessions', {
    query: { account: accountId, limit: 5 },
  });
  return (
    <Card title="Sessions" flush>
      <SessionsTable query={sessions} emptyText="No sessions yet" only="one account" />
    </Card>
  );
}

function Usage({ accountId }: { accountId: string }) {
  const [range, setRange] = useDayRange();
  const usage = useGet('/operator/accounts/:id/usage', {
    params: { id: accountId },
    query: range,
    keepPrevious: true,
  });
  return (
    <>
      <Group className="filters">
        <DayRangeInputs range={range} onChange={setRange} />
      </Group>
      <Loaded query={usage}>
        {(data) => (
          <>
            <UsageCharts usage={data.usage} />
            <Card title="Bandwidth, last 30 days">
              <ProductBars bandwidth={data.bandwidth} />
            </Card>
          </>
        )}
      </Loaded>
    </>
  );
}
