import { Group } from '@mantine/core';
import type { ServiceStatistics } from '@turnpike/contract/dashboard/operator-pages';
import { useGet } from '../api/queries.ts';
import { ChartCard } from '../parts/chart-card.tsx';
import { DayRangeInputs, useDayRange } from '../parts/day-range.tsx';
import { failureAt, otherFailure } from '../parts/field-errors.ts';
import { count, hours, percent } from '../parts/figures.ts';
import { Loading, Problem } from '../parts/states.tsx';

/** Sessions of all accounts over time. */
export function ServiceCharts() {
  const [range, setRange] = useDayRange();
  const statistics = useGet('/operator/statistics', { query: range, keepPrevious: true });
  const { data, error, refetch } = statistics;
  const refused = otherFailure(error, ['from', 'to']);
  return (
    <>
      <Group className="filters" role="search" aria-label="Days to show">
        <DayRangeInputs
          range={range}
          onChange={setRange}
          errors={{ from: failureAt(error, 'from'), to: failureAt(error, 'to') }}
        />
      </Group>
      {refused && <Problem error={refused} onRetry={() => void refetch()} />}
      {data ? <Charts days={data.days} /> : !error && <Loading lines={8} />}
    </>
  );
}

function Charts({ days }: Pick<ServiceStatistics, 'days'>) {
  const sum = (value: (day: ServiceStatistics['days'][number]) => number) =>
    days.reduce((total, day) => total + value(day), 0);
  const started = sum((day) => day.started);
  const lost = sum((day) => day.lost);
  return (
    <div className="columns">
      <ChartCard
        title="Sessions started"
        about={`${count(started)} in this period, by UTC day`}
        label="Sessions started by day"
        name="Started"
        emptyText="No sessions started in this period"
        days={days.map(({ date, started: value }) => ({ day: date, value }))}
        format={count}
      />
      <ChartCard
        title="Browser hours"
        about={`${hours(sum((day) => day.browserSeconds))} billed for sessions that started in this period`}
        label="Browser hours by day"
        name="Browser hours"
        emptyText="No browser hours billed in this period"
        days={days.map(({ date, browserSeconds }) => ({ day: date, value: browserSeconds / 3600 }))}
        format={(value) => hours(value * 3600)}
        color="var(--series-2)"
      />
      <ChartCard
        title="Sessions lost"
        about={`${count(lost)} in this period (${percent(started ? lost / started : 0)}): crashes, memory, lost hosts`}
        label="Sessions lost by day"
        name="Lost"
        emptyText="No sessions lost in this period"
        days={days.map(({ date, lost: value }) => ({ day: date, value }))}
        format={count}
        color="var(--series-3)"
      />
    </div>
  );
}
