import { sql } from 'kysely';
import type { Database } from '../store/database.ts';

/** Rejects when the store cannot be asked. */
export async function pingStore(db: Database): Promise<void> {
  await sql`select 1`.execute(db);
}

export async function countRunningSessions(db: Database): Promise<{ STARTING: number; ACTIVE: number }> {
  const rows = await db
    .selectFrom('sessions')
    .select((e) => ['state', e.fn.countAll<number>().as('count')])
    .where('state', 'in', ['STARTING', 'ACTIVE'])
    .groupBy('state')
    .execute();
  return { STARTING: 0, ACTIVE: 0, ...Object.fromEntries(rows.map(({ state, count }) => [state, count])) };
}

/** When each host was last heard of, if that was since then. */
export function hostHeartbeats(
  db: Database,
  since: number,
): Promise<{ name: string; heartbeat_at: number }[]> {
  return db.selectFrom('hosts').select(['name', 'heartbeat_at']).where('heartbeat_at', '>', since).execute();
}
