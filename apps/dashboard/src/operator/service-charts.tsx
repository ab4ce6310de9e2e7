import { Group } from '@mantine/core';
import type { ServiceStatistics } from '@turnpike/contract/dashboard/operator-pages';
import { useGet } from '../api/queries.ts';
import { BarList } from '../parts/charts/bar-list.tsx';
import { ChartCard } from '../parts/charts/chart-card.tsx';
import { otherFailure } from '../parts/forms/field-errors.ts';
import { Card } from '../parts/page.tsx';
import { Empty, Loading, Problem } from '../parts/states.tsx';
import { DayRangeInputs, useDayRange } from '../parts/tables/day-range.tsx';
import { count, hours, percent } from '../parts/values/figures.ts';
import { failureText } from './failure-text.ts';

/** Sessions of all accounts over time. */
export function ServiceCharts() {
  const [range, setRange] = useDayRange();
  const statistics = useGet('/operator/statistics', { query: range, keepPrevious: true });
  const { data, error, refetch } = statistics;
  const refused = otherFailure(error, ['from', 'to']);
  return (
    <>
      <Group className="filters" role="search" aria-label="Days to show">
        <DayRangeInputs range={range} onChange={setRange} error={error} />
      </Group>
      {refused && <Problem error={refused} onRetry={() => void refetch()} />}
      {data ? <Charts statistics={data} /> : !error && <Loading lines={8} />}
    </>
  );
}

function Charts({ statistics: { days, failures } }: { statistics: ServiceStatistics }) {
  const sum = (value: (day: ServiceStatistics['days'][number]) => number) =>
    days.reduce((total, day) => total + value(day), 0);
  const started = sum((day) => day.started);
  const lost = sum((day) => day.lost);
  const failed = sum((day) => day.failedCreates);
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
      <ChartCard
        title="Failed creates"
        about={`${count(failed)} in this period (${percent(started + failed ? failed / (started + failed) : 0)} of all creates)`}
        label="Failed creates by day"
        name="Failed"
        emptyText="No create failed in this period"
        days={days.map(({ date, failedCreates: value }) => ({ day: date, value }))}
        format={count}
        color="var(--series-4)"
      />
      <Card title="Why creates failed" about="By the code that the client was sent.">
        {failures.length === 0 ? (
          <Empty icon="check" title="No create failed in this period" />
        ) : (
          <BarList
            label="Failed creates by reason"
            bars={failures.map(({ code, creates }) => ({
              key: code,
              name: failureText(code),
              value: creates,
              text: count(creates),
              color: 'var(--series-4)',
            }))}
          />
        )}
      </Card>
    </div>
  );
}
