import { useGet } from '../api/queries.ts';
import { downloadUrl } from '../api/request.ts';
import { otherFailure } from '../parts/forms/field-errors.ts';
import { Page } from '../parts/page.tsx';
import { Loading, Problem } from '../parts/states.tsx';
import { DayRangeInputs, useDayRange } from '../parts/tables/day-range.tsx';
import { ExportButton } from '../parts/tables/export-button.tsx';
import { TrafficDetails } from './traffic-details.tsx';

export function Traffic() {
  const [range, setRange] = useDayRange();
  const traffic = useGet('/traffic', { query: range, keepPrevious: true });
  const refused = otherFailure(traffic.error, ['from', 'to']);
  return (
    <Page
      title="Traffic"
      about="Where the traffic of your sessions went. A session counts on the UTC day when it ended."
    >
      <div className="stack">
        <search className="filters" aria-label="Days to show">
          <DayRangeInputs range={range} onChange={setRange} error={traffic.error} />
          <ExportButton href={downloadUrl('/traffic/csv', { query: range })} />
        </search>
        {refused && <Problem error={refused} onRetry={() => void traffic.refetch()} />}
        {traffic.data ? <TrafficDetails traffic={traffic.data} /> : !traffic.error && <Loading lines={8} />}
      </div>
    </Page>
  );
}
