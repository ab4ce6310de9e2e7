import type { Database } from '../store/database.ts';
import { isActive, isRunning, isStarting } from '../store/session-states.ts';
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

/** Lists ACTIVE sessions whose client disconnected before it got the answer. */
export function abandonedSessions(db: Database): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where(isActive)
    .where('abandoned_at', 'is not', null)
    .execute();
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

/** Releases all creates in progress, and the wait queue: for the only gateway of a store, when it starts. */
export async function releaseStarting(db: Database): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('sessions').where(isStarting).executeTakeFirst();
  await db.deleteFrom('waiting').execute();
  return Number(numDeletedRows);
}

/** Releases the slots of creates that missed their deadline: their gateway died. */
export async function reapStarting(db: Database, now: number): Promise<string[]> {
  const rows = await db
    .deleteFrom('sessions')
    .where(isStarting)
    .where('deadline_at', '<', now)
    .returning('id')
    .execute();
  return rows.map((row) => row.id);
}
