import { lazy, type ReactNode, Suspense } from 'react';
import { Card } from '../page.tsx';
import { Empty, Loading } from '../states.tsx';
import { DataTable } from '../tables/data-table.tsx';
import { dayName } from '../values/time.tsx';
import type { DayChartProps } from './day-chart.tsx';

const DayChart = lazy(() => import('./day-chart.tsx'));

interface ChartCardProps extends DayChartProps {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  /** Shown when every value is zero. */
  emptyText: string;
}

/** A chart, with the same numbers as a table below it. */
export function ChartCard({ title, about, actions, emptyText, ...chart }: ChartCardProps) {
  const { days, name, format } = chart;
  return (
    <Card title={title} about={about} actions={actions}>
      {days.every(({ value }) => value === 0) ? (
        <Empty icon="bandwidth" title={emptyText} />
      ) : (
        <>
          <Suspense fallback={<Loading lines={7} />}>
            <DayChart {...chart} />
          </Suspense>
          <details className="as-table">
            <summary>Show as table</summary>
            <DataTable
              label={title}
              rows={days.filter(({ value }) => value > 0).reverse()}
              rowKey={({ day }) => day}
              columns={[
                { name: 'Day (UTC)', cell: ({ day }) => dayName(day, { year: true }) },
                { name, numeric: true, cell: ({ value }) => format(value) },
              ]}
            />
          </details>
        </>
      )}
    </Card>
  );
}
