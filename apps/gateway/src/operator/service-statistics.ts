import { daysFrom } from '@turnpike/contract/calendar';
import type { ServiceStatistics } from '@turnpike/contract/dashboard/operator-pages';
import type { Database } from '../store/database.ts';
import { sessionsStartedBetween } from './overview-store.ts';

const dayMs = 86_400_000;

/**
 * Sessions of all accounts by the UTC day on which they started. One short query a day, one after the other: SQLite
 * answers nothing else during a query, and the record may be long.
 */
export async function serviceStatistics(
  db: Database,
  { from, to, days }: { from: string; to: string; days: number },
): Promise<ServiceStatistics> {
  const counted: ServiceStatistics['days'] = [];
  for (const date of daysFrom(from, days)) {
    const start = Date.parse(`${date}T00:00:00Z`);
    counted.push({ date, ...(await sessionsStartedBetween(db, start, start + dayMs)) });
  }
  return { from, to, days: counted };
}
