import { useGet } from '../api/queries.ts';
import { otherFailure } from '../parts/forms/field-errors.ts';
import { Page } from '../parts/page.tsx';
import { Loading, Problem } from '../parts/states.tsx';
import { DayRangeInputs, useDayRange } from '../parts/tables/day-range.tsx';
import { AlertsCard } from './alerts-card.tsx';
import { UsageCharts } from './usage-charts.tsx';

export function Usage() {
  const [range, setRange] = useDayRange();
  const usage = useGet('/usage', { query: range, keepPrevious: true });
  const refused = otherFailure(usage.error, ['from', 'to']);
  return (
    <Page title="Usage" about="Browser hours by day. A session counts on the UTC day when it ended.">
      <div className="stack">
        <search className="filters" aria-label="Days to show">
          <DayRangeInputs range={range} onChange={setRange} error={usage.error} />
        </search>
        {refused && <Problem error={refused} onRetry={() => void usage.refetch()} />}
        {usage.data ? <UsageCharts usage={usage.data} /> : !usage.error && <Loading lines={8} />}
        <AlertsCard />
      </div>
    </Page>
  );
}
