import type { Heartbeat } from '@turnpike/contract/heartbeat';
import { sql } from 'kysely';
import type { LostSession } from '../seams/host-reports.ts';
import type { Database } from '../store/database.ts';
import { isPostgres } from '../store/engine.ts';
import { isActive } from '../store/session-states.ts';
import type { HostRow } from '../store/tables.ts';

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

export async function countActiveSessions(db: Database, name: string): Promise<number> {
  const { count } = await db
    .selectFrom('sessions')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where(isActive)
    .where('host', '=', name)
    .executeTakeFirstOrThrow();
  return count;
}

/** Lists ACTIVE sessions of hosts that were last heard of before `since`, or were removed. */
export function sessionsOfLostHosts(db: Database, since: number): Promise<LostSession[]> {
  return db
    .selectFrom('sessions')
    .innerJoin('hosts', 'hosts.name', 'sessions.host')
    .selectAll('sessions')
    .select('hosts.heartbeat_at')
    .where('sessions.state', '=', 'ACTIVE')
    .where((e) => e.or([e('hosts.heartbeat_at', '<', since), e('hosts.state', '=', 'removed')]))
    .execute();
}
