import { daysFrom, utcDay } from '@turnpike/contract/calendar';
import type { ServiceStatistics } from '@turnpike/contract/dashboard/operator-pages';
import { failuresBetween } from '../metrics/create-failure-store.ts';
import type { Database } from '../store/database.ts';
import { sessionsStartedBetween } from './overview-store.ts';

const dayMs = 86_400_000;

/**
 * Sessions of all accounts by the UTC day on which they started, and creates that failed by day and reason. One short query a day, one after the other: SQLite
 * answers nothing else during a query, and the record may be long.
 */
export async function serviceStatistics(
  db: Database,
  { from, to, days }: { from: string; to: string; days: number },
): Promise<ServiceStatistics> {
  const counted: Omit<ServiceStatistics['days'][number], 'failedCreates'>[] = [];
  for (const date of daysFrom(from, days)) {
    const start = Date.parse(`${date}T00:00:00Z`);
    counted.push({ date, ...(await sessionsStartedBetween(db, start, start + dayMs)) });
  }
  const start = Date.parse(`${from}T00:00:00Z`);
  const failures = await failuresBetween(db, start, start + days * dayMs);
  const failed = new Map<string, number>();
  const reasons = new Map<string, number>();
  for (const { hour, code, creates } of failures) {
    add(failed, utcDay(hour), creates);
    add(reasons, code, creates);
  }
  return {
    from,
    to,
    days: counted.map((day) => ({ ...day, failedCreates: failed.get(day.date) ?? 0 })),
    failures: [...reasons]
      .map(([code, creates]) => ({ code, creates }))
      .sort((a, b) => b.creates - a.creates),
  };
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
