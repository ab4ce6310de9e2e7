import type { SessionRowView } from '@turnpike/contract/dashboard/account-pages';
import { Card } from '../parts/page.tsx';
import { Left, Time } from '../parts/values/time.tsx';
import { timelineOf } from './timeline.ts';

export function TimelineCard({ session }: { session: SessionRowView }) {
  return (
    <Card title="Timeline">
      <ol className="timeline">
        {timelineOf(session).map(({ name, at, note, ahead }) => (
          <li key={name} data-ahead={ahead}>
            <span className="timeline-name">{name}</span>{' '}
            <span className="faint">
              <Time at={at} seconds />
              {ahead && (
                <>
                  , in <Left until={at} />
                </>
              )}
              {note && ` · ${note}`}
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
