import type { Insertable, Transaction } from 'kysely';
import { lockAccount } from '../limits/account-lock-store.ts';
import { presentRecord } from '../sessions/present-session.ts';
import type { SessionContext } from '../sessions/session-context.ts';
import type { Database } from '../store/database.ts';
import { isStarting } from '../store/session-states.ts';
import type { SessionRow, SessionTable, Tables } from '../store/tables.ts';
import type { Claim } from './idempotency.ts';
import { passKey } from './idempotency-store.ts';

/** The row of a create in progress: every way out of STARTING. Each is one conditional statement or transaction. */

export type StartingSession = Insertable<SessionTable> & { state: 'STARTING' };

export type Activation = Pick<
  SessionRow,
  | 'created_at'
  | 'expires_at'
  | 'readable_until'
  | 'standby_permille'
  | 'host'
  | 'host_boot'
  | 'host_url'
  | 'viewer'
  | 'protocols'
  | 'params'
  | 'metadata'
  | 'name'
  | 'named'
  | 'tags'
>;

/** Makes a STARTING session ACTIVE. Undefined means the create took too long, and its row is gone. */
export function activateSession(
  { db, outbox }: Pick<SessionContext, 'db' | 'outbox'>,
  id: string,
  activation: Activation,
): Promise<SessionRow | undefined> {
  return db.transaction().execute(async (trx) => {
    const session = await trx
      .updateTable('sessions')
      .set({ ...activation, state: 'ACTIVE' })
      .where('id', '=', id)
      .where('state', '=', 'STARTING')
      .returningAll()
      .executeTakeFirst();
    if (session) {
      const { account_id: accountId, created_at: at } = session;
      await outbox(trx, { kind: 'started', accountId, at, record: presentRecord(session, at) });
    }
    return session;
  });
}

export type SessionIds = Pick<SessionRow, 'id' | 'cdp_id' | 'viewer_token'>;

/**
 * Gives a create in progress new ids for its next attempt, and moves its Idempotency-Key along. False: it took too
 * long, and its row is gone. The row is the slot, so all attempts share one slot, and the browser of an earlier
 * attempt belongs to no session.
 */
export function renameStarting(
  db: Database,
  id: string,
  ids: SessionIds,
  claim: Claim | undefined,
  usesProxies = false,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    // Keeps others from deciding about the key meanwhile; see claimKey.
    if (claim) await lockAccount(trx, claim.accountId);
    const { numUpdatedRows } = await trx
      .updateTable('sessions')
      .set(ids)
      .where('id', '=', id)
      .where('state', '=', 'STARTING')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    if (claim) await passKey(trx, claim, id, ids.id);
    if (usesProxies)
      await trx
        .updateTable('session_proxies')
        .set({ session_id: ids.id })
        .where('session_id', '=', id)
        .execute();
    return true;
  });
}

/** Releases the slot of a create that failed, and the saved proxies that it uses. */
export async function releaseSession(db: Database, id: string, usesProxies: boolean): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('state', '=', 'STARTING')
    .executeTakeFirst();
  if (usesProxies && numDeletedRows > 0n) await releaseProxies(db, [id]);
}

async function releaseProxies(db: Database, sessionIds: readonly string[]): Promise<void> {
  if (sessionIds.length > 0)
    await db.deleteFrom('session_proxies').where('session_id', 'in', sessionIds).execute();
}

/** Gives a create in progress another proxy than it was admitted with. False: its row is gone. */
export async function moveStarting(
  trx: Transaction<Tables>,
  id: string,
  columns: Partial<StartingSession>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('sessions')
    .set(columns)
    .where('id', '=', id)
    .where('state', '=', 'STARTING')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Forgets that a create in progress uses a saved proxy. */
export async function dropUse(trx: Transaction<Tables>, sessionId: string, proxyId: string): Promise<void> {
  await trx
    .deleteFrom('session_proxies')
    .where('session_id', '=', sessionId)
    .where('proxy_id', '=', proxyId)
    .execute();
}

/** Releases all creates in progress, and the wait queue: for the only gateway of a store, when it starts. */
export async function releaseStarting(db: Database): Promise<number> {
  const rows = await db.deleteFrom('sessions').where(isStarting).returning('id').execute();
  await releaseProxies(
    db,
    rows.map(({ id }) => id),
  );
  await db.deleteFrom('waiting').execute();
  return rows.length;
}

/** Releases the slots of creates that missed their deadline: their gateway died. */
export async function reapStarting(db: Database, now: number): Promise<string[]> {
  const rows = await db
    .deleteFrom('sessions')
    .where(isStarting)
    .where('deadline_at', '<', now)
    .returning('id')
    .execute();
  const ids = rows.map((row) => row.id);
  await releaseProxies(db, ids);
  return ids;
}
