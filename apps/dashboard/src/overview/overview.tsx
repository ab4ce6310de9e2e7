import { Anchor, Button } from '@mantine/core';
import type { Overview as OverviewData, Running } from '@turnpike/contract/dashboard/account-pages';
import { Link } from 'react-router';
import { useGet } from '../api/queries.ts';
import { Meter } from '../parts/charts/meter.tsx';
import { ProductBars } from '../parts/charts/product-bars.tsx';
import { Icon } from '../parts/icons.tsx';
import { Card, Figure, Page } from '../parts/page.tsx';
import { Loaded } from '../parts/states.tsx';
import { count, counted, gigabytes, hours } from '../parts/values/figures.ts';
import { unlimitedSeconds } from '../parts/values/limits.ts';
import { RunningTable } from '../sessions/running-table.tsx';
import { FirstSteps } from './first-steps.tsx';
import { HoursCard } from './hours-card.tsx';

export function Overview() {
  const overview = useGet('/overview', { everyMs: 5_000 });
  const running = useGet('/running', { everyMs: 2_000 });
  return (
    <Page
      title="Overview"
      actions={
        <Button component={Link} to="/new-session" leftSection={<Icon name="plus" size={16} />}>
          New session
        </Button>
      }
    >
      <Loaded query={overview} lines={8}>
        {(data) => (
          <div className="stack">
            <Figures overview={data} running={running.data} />
            <div className="columns columns-wide-first">
              <Card
                title="Running now"
                flush
                actions={
                  <Anchor component={Link} to="/sessions" size="sm">
                    All sessions
                  </Anchor>
                }
              >
                <Loaded query={running}>
                  {({ sessions }) => <RunningTable sessions={sessions} brief />}
                </Loaded>
              </Card>
              <div className="stack stack-top">
                <Card
                  title="Bandwidth, last 30 days"
                  actions={
                    <Anchor component={Link} to="/bandwidth" size="sm">
                      By day
                    </Anchor>
                  }
                >
                  <ProductBars bandwidth={data.bandwidth} />
                </Card>
                {data.usage.sessions > 0 && <HoursCard />}
              </div>
            </div>
            {data.usage.sessions === 0 && <FirstSteps />}
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Figures({ overview, running }: { overview: OverviewData; running: Running | undefined }) {
  const { limits, usage, bandwidth } = overview;
  const { active, limit, remaining, unlimited } = running?.concurrency ?? overview.concurrency;
  const total = bandwidth.reduce((sum, { total_value }) => sum + total_value, 0);
  const today = bandwidth.reduce((sum, { today_value }) => sum + today_value, 0);
  const endless = usage.remainingSeconds >= unlimitedSeconds;
  return (
    <div className="figures">
      <Figure
        name="Running sessions"
        value={unlimited ? count(active) : `${count(active)} of ${count(limit)}`}
        note={
          <>
            {unlimited ? 'No limit' : `${counted(remaining, 'free slot')}`}
            {!unlimited && <Meter share={limit ? active / limit : 0} />}
          </>
        }
      />
      <Figure
        name="Browser hours used"
        value={hours(usage.browserSeconds)}
        note={
          <>
            {endless
              ? 'No limit'
              : `${hours(usage.remainingSeconds)} left of ${hours(limits.browserSecondsCap)}`}
            {!endless && (
              <Meter share={limits.browserSecondsCap ? usage.browserSeconds / limits.browserSecondsCap : 1} />
            )}
          </>
        }
      />
      <Figure name="Sessions" value={count(usage.sessions)} note="ended and billed" />
      <Figure
        name="Bandwidth, last 30 days"
        value={gigabytes(total)}
        note={`${gigabytes(today)} today, all products`}
      />
    </div>
  );
}
