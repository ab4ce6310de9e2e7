import type { Database } from '../store/database.ts';
import { isActive, isRunning } from '../store/session-states.ts';
import type { SessionRow } from '../store/tables.ts';

/** Lists the ACTIVE sessions of a host, whichever run of it they belong to. */
export function activeSessionsOfHost(db: Database, name: string): Promise<SessionRow[]> {
  return db.selectFrom('sessions').selectAll().where(isActive).where('host', '=', name).execute();
}

/** Filters ids: those that belong to a session or to a create in progress. */
export async function neededAmong(db: Database, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.selectFrom('sessions').select('id').where('id', 'in', ids).where(isRunning).execute();
  return new Set(rows.map(({ id }) => id));
}

/** Lists ACTIVE sessions whose lifetime ended before `expiredBefore`. */
export function overdueSessions(db: Database, expiredBefore: number): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where(isActive)
    .where('expires_at', '<', expiredBefore)
    .execute();
}
