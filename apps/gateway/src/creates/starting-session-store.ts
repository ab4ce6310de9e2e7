import type { Insertable } from 'kysely';
import { lockAccount } from '../limits/account-lock-store.ts';
import { presentRecord } from '../sessions/present-session.ts';
import type { SessionContext } from '../sessions/session-context.ts';
import type { Database } from '../store/database.ts';
import { isStarting } from '../store/session-states.ts';
import type { SessionRow, SessionTable } from '../store/tables.ts';
import type { Claim } from './idempotency.ts';
import { passKey } from './idempotency-store.ts';

/** The row of a create in progress: every way out of STARTING. Each is one conditional statement or transaction. */

export type StartingSession = Insertable<SessionTable> & { state: 'STARTING' };

export type Activation = Pick<
  SessionRow,
  | 'created_at'
  | 'expires_at'
  | 'readable_until'
  | 'host'
  | 'host_boot'
  | 'host_url'
  | 'viewer'
  | 'protocols'
  | 'params'
  | 'metadata'
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
    return true;
  });
}

/** Releases the slot of a create that failed. */
export async function releaseSession(db: Database, id: string): Promise<void> {
  await db.deleteFrom('sessions').where('id', '=', id).where('state', '=', 'STARTING').execute();
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
