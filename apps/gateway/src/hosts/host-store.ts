import type { Database } from '../store/database.ts';
import type { HostTable, SessionRow } from '../store/tables.ts';

/** Announces a run of a host. Sessions of its earlier runs are told apart by their boot. */
export async function registerHost(db: Database, host: HostTable): Promise<void> {
  await db
    .insertInto('hosts')
    .values(host)
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ boot: host.boot, public_url: host.public_url, heartbeat_at: host.heartbeat_at }),
    )
    .execute();
}

export function findHost(db: Database, name: string): Promise<HostTable | undefined> {
  return db.selectFrom('hosts').selectAll().where('name', '=', name).executeTakeFirst();
}

/** False: another run of this host has taken its place. */
export async function recordHeartbeat(
  db: Database,
  name: string,
  boot: string,
  now: number,
): Promise<boolean> {
  const result = await db
    .updateTable('hosts')
    .set({ heartbeat_at: now })
    .where('name', '=', name)
    .where('boot', '=', boot)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export function activeSessionsOfHost(db: Database, name: string): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('state', '=', 'ACTIVE')
    .where('host', '=', name)
    .execute();
}

/** ACTIVE sessions of hosts that were last heard of before `since`, and when that was. */
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
    .where('hosts.heartbeat_at', '<', since)
    .execute();
}

export function overdueSessions(db: Database, expiredBefore: number): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('state', '=', 'ACTIVE')
    .where('expires_at', '<', expiredBefore)
    .execute();
}

/** Gives back the slots of creates whose gateway died on the way. */
export async function reapStarting(db: Database, now: number): Promise<string[]> {
  const rows = await db
    .deleteFrom('sessions')
    .where('state', '=', 'STARTING')
    .where('deadline_at', '<', now)
    .returning('id')
    .execute();
  return rows.map((row) => row.id);
}
