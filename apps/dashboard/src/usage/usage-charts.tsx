import type { UsageByDay } from '@turnpike/contract/dashboard/account-pages';
import { ChartCard } from '../parts/charts/chart-card.tsx';
import { Figure } from '../parts/page.tsx';
import { bytes, count, hours } from '../parts/values/figures.ts';
import { unlimitedSeconds } from '../parts/values/limits.ts';
import { dayName } from '../parts/values/time.tsx';

/** Browser hours of a range of days. Also used on the operator's page of an account. */
export function UsageCharts({ usage }: { usage: UsageByDay }) {
  const { days, totals, from, to } = usage;
  const sum = (of: (day: UsageByDay['days'][number]) => number) =>
    days.reduce((total, day) => total + of(day), 0);
  const range = `${dayName(from, { year: true })} to ${dayName(to, { year: true })}`;
  return (
    <>
      <div className="figures">
        <Figure
          name="Browser hours"
          value={hours(sum(({ browserSeconds }) => browserSeconds))}
          note={range}
        />
        <Figure name="Sessions" value={count(sum(({ sessions }) => sessions))} note="ended in this period" />
        <Figure
          name="Session traffic"
          value={bytes(sum(({ bytesUp, bytesDown }) => bytesUp + bytesDown))}
          note="up and down"
        />
        <Figure
          name="All time"
          value={hours(totals.browserSeconds)}
          note={
            totals.remainingSeconds >= unlimitedSeconds
              ? 'No limit'
              : `${hours(totals.remainingSeconds)} left`
          }
        />
      </div>
      <ChartCard
        title="Browser hours by day"
        label={`Browser hours by day, ${range}`}
        name="Browser hours"
        emptyText="No sessions ended in this period"
        days={days.map(({ date, browserSeconds }) => ({ day: date, value: browserSeconds / 3600 }))}
        format={(value) => hours(value * 3600)}
      />
      <ChartCard
        title="Sessions by day"
        label={`Sessions by day, ${range}`}
        name="Sessions"
        emptyText="No sessions ended in this period"
        days={days.map(({ date, sessions }) => ({ day: date, value: sessions }))}
        format={count}
        color="var(--series-2)"
      />
    </>
  );
}
