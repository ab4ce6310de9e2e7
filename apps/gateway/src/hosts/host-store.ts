import type { Heartbeat } from '@turnpike/contract/host/heartbeat';
import { sql } from 'kysely';
import type { LostSession } from '../seams/host-reports.ts';
import type { Database } from '../store/database.ts';
import { isPostgres } from '../store/engine.ts';
import { isActive } from '../store/session-states.ts';
import type { HostRow } from '../store/tables.ts';

/**
 * Stores a heartbeat of the run that has the name. Returns undefined if another run has it, or a later heartbeat came
 * first.
 */
export function storeHeartbeat(
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
 * Gives a host's name to another run, in one statement, so that of two runs one gets it. Refuses while a host of that
 * name is alive elsewhere: only runs with the same private address cannot both be alive. Hosts without one are in a
 * gateway's process; on SQLite there is one of these, which holds the lock of the data directory, on PostgreSQL there
 * may be many. Returns whether the run has the name.
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
          // A host that was removed and starts again is wanted again. A drain lasts until it is lifted.
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
    abilities: beat.abilities ? JSON.stringify(beat.abilities) : null,
  };
}

/**
 * The heartbeat's time, but not earlier than the database's. A gateway on a machine that was suspended has an old time
 * for a moment; stored here, it would make the host look lost to other gateways.
 */
const noEarlierThanNow = (db: Database, now: number) =>
  isPostgres(db)
    ? sql<number>`greatest(cast(${now} as bigint), cast(extract(epoch from clock_timestamp()) * 1000 as bigint))`
    : now;

export function findHost(db: Database, name: string): Promise<HostRow | undefined> {
  return db.selectFrom('hosts').selectAll().where('name', '=', name).executeTakeFirst();
}

/** Lists all hosts but those that were removed. */
export function listHostRows(db: Database): Promise<HostRow[]> {
  return db.selectFrom('hosts').selectAll().where('state', '!=', 'removed').orderBy('name').execute();
}

/** Sets what the operator wants the host to be. False: there is no such host. */
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
