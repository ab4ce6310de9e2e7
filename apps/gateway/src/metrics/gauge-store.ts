import type { Database } from '../store/database.ts';
import { isRunning } from '../store/session-states.ts';
import type { HostRow } from '../store/tables.ts';

export async function countRunningSessions(db: Database): Promise<{ STARTING: number; ACTIVE: number }> {
  const rows = await db
    .selectFrom('sessions')
    .select((e) => ['state', e.fn.countAll<number>().as('count')])
    .where(isRunning)
    .groupBy('state')
    .execute();
  return { STARTING: 0, ACTIVE: 0, ...Object.fromEntries(rows.map(({ state, count }) => [state, count])) };
}

export async function countWaiting(db: Database, now: number): Promise<number> {
  const { count } = await db
    .selectFrom('waiting')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('alive_until', '>=', now)
    .executeTakeFirstOrThrow();
  return count;
}

export type HostFigures = Pick<HostRow, 'name' | 'heartbeat_at' | 'seats' | 'used'>;

/** Lists hosts that were heard of since then and have not left. */
export function hostFigures(db: Database, since: number): Promise<HostFigures[]> {
  return db
    .selectFrom('hosts')
    .select(['name', 'heartbeat_at', 'seats', 'used'])
    .where('heartbeat_at', '>', since)
    .where('state', '!=', 'removed')
    .where('phase', '!=', 'left')
    .execute();
}
