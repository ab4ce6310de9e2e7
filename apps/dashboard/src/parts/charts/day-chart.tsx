import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { dayName } from '../values/time.tsx';

export interface DayChartProps {
  label: string;
  /** Name of the values, shown in the tooltip. */
  name: string;
  days: readonly { day: string; value: number }[];
  format: (value: number) => string;
  color?: string;
}

/** Bars by day. Loaded on first use: the chart library is larger than all other code. */
export default function DayChart({ label, name, days, format, color = 'var(--series-1)' }: DayChartProps) {
  return (
    <div role="img" aria-label={label} className="chart">
      <BarChart
        h={280}
        data={days.map(({ day, value }) => ({ day: dayName(day), [name]: value }))}
        dataKey="day"
        series={[{ name, color }]}
        valueFormatter={format}
        withLegend={false}
        tickLine="none"
        gridAxis="x"
        strokeDasharray="0"
        maxBarWidth={36}
        barChartProps={{ accessibilityLayer: false, margin: { top: 8, right: 8 } }}
        barProps={{ radius: [3, 3, 0, 0], isAnimationActive: false }}
        xAxisProps={{ interval: 'equidistantPreserveEnd', minTickGap: 24 }}
        yAxisProps={{ width: 70, allowDecimals: true }}
        tooltipAnimationDuration={0}
      />
    </div>
  );
}
