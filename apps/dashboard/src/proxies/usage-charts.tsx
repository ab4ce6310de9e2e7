import type { ProxyDay, ProxyUsage } from '@turnpike/contract/proxies';
import { ChartCard } from '../parts/charts/chart-card.tsx';
import { Figure } from '../parts/page.tsx';
import { bytes, costText, count, percent } from '../parts/values/figures.ts';

/** What sessions have seen of a proxy or a pool, by the day on which they ended. */
export function UsageCharts({ usage }: { usage: ProxyUsage }) {
  const { days } = usage;
  const sum = (of: (day: ProxyDay) => number) => days.reduce((total, day) => total + of(day), 0);
  const connections = sum((day) => day.connections);
  const failures = sum((day) => day.failures);
  const isPriced = days.some(({ cost }) => cost !== null);
  const chart = (title: string, of: (day: ProxyDay) => number, format: (value: number) => string) => ({
    title: `${title} by day`,
    label: `${title} by day, last ${days.length} days`,
    name: title,
    days: days.map((day) => ({ day: day.date, value: of(day) })),
    format,
  });
  return (
    <>
      <div className="figures">
        <Figure name="Sessions" value={count(sum((day) => day.sessions))} note={`last ${days.length} days`} />
        <Figure name="Traffic" value={bytes(sum((day) => day.bytesUp + day.bytesDown))} note="up and down" />
        <Figure
          name="Failed connections"
          value={percent(connections ? failures / connections : 0)}
          note={`${count(failures)} of ${count(connections)}`}
        />
        <Figure
          name="Cost"
          value={isPriced ? costText(sum((day) => day.cost ?? 0)) : '–'}
          note={isPriced ? 'by the prices of each day' : 'Set a price per GB to see it'}
        />
      </div>
      <ChartCard
        {...chart('Traffic', (day) => day.bytesUp + day.bytesDown, bytes)}
        emptyText="No traffic in this period"
      />
      <ChartCard
        {...chart('Failed connections', (day) => day.failures, count)}
        emptyText="No connection failed"
        color="var(--series-2)"
      />
      <ChartCard
        {...chart(
          'Time to first byte',
          (day) => day.firstByteMs ?? 0,
          (value) => `${count(value)} ms`,
        )}
        emptyText="No answer in this period"
        color="var(--series-3)"
      />
      <ChartCard {...chart('Sessions', (day) => day.sessions, count)} emptyText="No session in this period" />
      {isPriced && (
        <ChartCard
          {...chart('Cost', (day) => day.cost ?? 0, costText)}
          emptyText="No cost in this period"
          color="var(--series-4)"
        />
      )}
    </>
  );
}
