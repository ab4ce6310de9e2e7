import type { Heartbeat } from '@turnpike/contract/heartbeat';
import { sql } from 'kysely';
import type { Database } from '../store/database.ts';
import { isPostgres } from '../store/engine.ts';
import { isActive, isRunning, isStarting } from '../store/session-states.ts';
import type { HostRow, SessionRow } from '../store/tables.ts';

/** Takes a heartbeat of the run that has the name. Undefined: it is not that run, or a later beat was faster. */
export function recordHeartbeat(
  db: Database,
  beat: Heartbeat,
  now: number,
): Promise<{ state: HostRow['state']; former_heartbeat_at: number | null } | undefined> {
  return db
    .updateTable('hosts')
    .set(columns(db, beat, now))
    .where('name', '=', beat.name)
    .where('boot', '=', beat.boot)
    .where('seq', '<', beat.seq)
    .where('state', '!=', 'removed')
    .returning(['state', 'former_heartbeat_at'])
    .executeTakeFirst();
}

/**
 * Gives the name to another run. One statement, so of two runs at once one has it. It refuses while a host of that
 * name lives elsewhere: only what has the same private address cannot be two. Hosts without one are inside a gateway's
 * process; on SQLite there is one of these, which holds its data directory's lock, on PostgreSQL there may be many.
 * Answers whether it was done.
 */
export async function takeOverHost(
  db: Database,
  beat: Heartbeat,
  { now, lostBefore }: { now: number; lostBefore: number },
): Promise<boolean> {
  const run = { ...columns(db, beat, now), boot: beat.boot };
  const cannotBeTwo = beat.privateUrl !== null || !isPostgres(db);
  const row = await db
    .insertInto('hosts')
    .values({ ...run, name: beat.name })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet((e) => ({
          ...run,
          former_heartbeat_at: e.ref('hosts.heartbeat_at'),
          // A host that was removed and is started anew is wanted again; a drain lasts until it is lifted.
          state: e
            .case()
            .when('hosts.state', '=', 'removed')
            .then('live' as const)
            .else(e.ref('hosts.state'))
            .end(),
        }))
        .where((e) =>
          e.and([
            e('hosts.boot', '!=', beat.boot),
            e.or([
              e('hosts.state', '=', 'removed'),
              e('hosts.phase', '=', 'left'),
              e('hosts.heartbeat_at', '<', lostBefore),
              ...(cannotBeTwo
                ? [e('hosts.private_url', beat.privateUrl === null ? 'is' : '=', beat.privateUrl)]
                : []),
            ]),
          ]),
        ),
    )
    .returning('boot')
    .executeTakeFirst();
  return row !== undefined;
}

function columns(db: Database, beat: Heartbeat, now: number) {
  return {
    heartbeat_at: noEarlierThanNow(db, now),
    seq: beat.seq,
    phase: beat.phase,
    public_url: beat.publicUrl,
    private_url: beat.privateUrl,
    region: beat.region,
    seats: beat.seats,
    used: beat.used,
    chromium_version: beat.chromiumVersion,
    service_version: beat.serviceVersion,
  };
}

/**
 * A gateway on a machine that was suspended has, for a moment, a time that is long past. Written here it would have
 * other gateways take the host for lost.
 */
const noEarlierThanNow = (db: Database, now: number) =>
  isPostgres(db)
    ? sql<number>`greatest(cast(${now} as bigint), cast(extract(epoch from clock_timestamp()) * 1000 as bigint))`
    : now;

export function findHost(db: Database, name: string): Promise<HostRow | undefined> {
  return db.selectFrom('hosts').selectAll().where('name', '=', name).executeTakeFirst();
}

/** All but those that were removed. */
export function listHostRows(db: Database): Promise<HostRow[]> {
  return db.selectFrom('hosts').selectAll().where('state', '!=', 'removed').orderBy('name').execute();
}

/** False: there is no such host. */
export async function setHostState(db: Database, name: string, state: HostRow['state']): Promise<boolean> {
  const result = await db
    .updateTable('hosts')
    .set({ state })
    .where('name', '=', name)
    .where('state', '!=', 'removed')
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export function activeSessionsOfHost(db: Database, name: string): Promise<SessionRow[]> {
  return db.selectFrom('sessions').selectAll().where(isActive).where('host', '=', name).execute();
}

/** Of these ids, those that a session or a create under way has. */
export async function neededAmong(db: Database, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.selectFrom('sessions').select('id').where('id', 'in', ids).where(isRunning).execute();
  return new Set(rows.map(({ id }) => id));
}

/** ACTIVE sessions of hosts that were last heard of before `since`, or are out, and when that was. */
export function sessionsOfLostHosts(
  db: Database,
  since: number,
): Promise<Array<SessionRow & { heartbeat_at: number }>> {
  return db
    .selectFrom('sessions')
    .innerJoin('hosts', 'hosts.name', 'sessions.host')
    .selectAll('sessions')
    .select('hosts.heartbeat_at')
    .where('sessions.state', '=', 'ACTIVE')
    .where((e) => e.or([e('hosts.heartbeat_at', '<', since), e('hosts.state', '=', 'removed')]))
    .execute();
}

/** ACTIVE sessions whose client hung up before it knew of them. */
export function abandonedSessions(db: Database): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where(isActive)
    .where('abandoned_at', 'is not', null)
    .execute();
}

export function overdueSessions(db: Database, expiredBefore: number): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where(isActive)
    .where('expires_at', '<', expiredBefore)
    .execute();
}

/** Gives back the slots of creates that a former run of the only gateway had under way, and their places in line. */
export async function releaseStarting(db: Database): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('sessions').where(isStarting).executeTakeFirst();
  await db.deleteFrom('waiting').execute();
  return Number(numDeletedRows);
}

/** Gives back the slots of creates whose gateway died on the way. */
export async function reapStarting(db: Database, now: number): Promise<string[]> {
  const rows = await db
    .deleteFrom('sessions')
    .where(isStarting)
    .where('deadline_at', '<', now)
    .returning('id')
    .execute();
  return rows.map((row) => row.id);
}
