import { Anchor } from '@mantine/core';
import type { UsageByDay } from '@turnpike/contract/dashboard/account-pages';
import { Link } from 'react-router';
import { useGet } from '../api/queries.ts';
import { Card } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { counted, hours } from '../parts/values/figures.ts';
import { dayName } from '../parts/values/time.tsx';

/** Browser hours of the last 30 days as small bars. The usage page has the full chart. */
export function HoursCard() {
  const usage = useGet('/usage');
  return (
    <Card
      title="Browser hours, last 30 days"
      actions={
        <Anchor component={Link} to="/usage" size="sm">
          Usage
        </Anchor>
      }
    >
      <Loaded query={usage}>{({ days }) => <Days days={days} />}</Loaded>
    </Card>
  );
}

function Days({ days }: Pick<UsageByDay, 'days'>) {
  const largest = Math.max(...days.map(({ browserSeconds }) => browserSeconds), 0);
  if (largest === 0) return <Empty icon="usage" title="No sessions ended in the last 30 days" />;
  const total = days.reduce((sum, { browserSeconds }) => sum + browserSeconds, 0);
  const sessions = days.reduce((sum, day) => sum + day.sessions, 0);
  const first = days[0]?.date ?? '';
  return (
    <>
      <div className="spark" aria-hidden="true">
        {days.map(({ date, browserSeconds }) => (
          <span
            key={date}
            title={`${dayName(date)}: ${hours(browserSeconds)}`}
            style={{ height: `${Math.max((browserSeconds / largest) * 100, 1.5)}%` }}
          />
        ))}
      </div>
      <div className="spark-text faint">
        <span>{dayName(first)}</span>
        <span>
          {hours(total)} in {counted(sessions, 'session')}
        </span>
        <span>today</span>
      </div>
    </>
  );
}
