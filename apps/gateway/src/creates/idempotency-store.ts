import { sql, type Transaction } from 'kysely';
import type { Database } from '../store/database.ts';
import { isActive } from '../store/session-states.ts';
import type { IdempotencyKeyRow, SessionRow, Tables } from '../store/tables.ts';
import { type Claim, keyLifetimeMs } from './idempotency.ts';

/**
 * Claims a key for a session that is about to start. A key whose session has no row is free: its create failed, or its
 * gateway died and the row was reaped. False: it is taken, or was closed. Call it under the account's lock: a
 * PostgreSQL statement sees sessions as of its start, but the key as of when it locked that row, so after a rename in
 * between the key would seem to be free.
 */
export async function claimKey(
  trx: Transaction<Tables>,
  { accountId, keyHash, paramsHash }: Claim,
  sessionId: string,
  now: number,
): Promise<boolean> {
  const claim = {
    params_hash: paramsHash,
    session_id: sessionId,
    shared: 0,
    created_at: now,
    closed_at: null,
  };
  const claimed = await trx
    .insertInto('idempotency_keys')
    .values({ account_id: accountId, key_hash: keyHash, ...claim })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'key_hash'])
        .doUpdateSet(claim)
        .where((e) =>
          e.or([
            e('idempotency_keys.created_at', '<=', now - keyLifetimeMs),
            e.and([
              e('idempotency_keys.closed_at', 'is', null),
              e.not(
                e.exists(
                  e
                    .selectFrom('sessions')
                    .select('sessions.id')
                    .whereRef('sessions.id', '=', 'idempotency_keys.session_id'),
                ),
              ),
            ]),
          ]),
        ),
    )
    .returning('session_id')
    .executeTakeFirst();
  return claimed !== undefined;
}

export type KeyOf = Pick<Claim, 'accountId' | 'keyHash'>;

export function findKey(db: Database, claim: KeyOf): Promise<IdempotencyKeyRow | undefined> {
  return db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('account_id', '=', claim.accountId)
    .where('key_hash', '=', claim.keyHash)
    .executeTakeFirst();
}

/** Marks a session as shared with a repeat. False: its creator has abandoned it. */
export async function shareKey(db: Database, claim: Claim, sessionId: string): Promise<boolean> {
  const result = await db
    .updateTable('idempotency_keys')
    .set({ shared: 1 })
    .where('account_id', '=', claim.accountId)
    .where('key_hash', '=', claim.keyHash)
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Moves a key to the new id of its create. */
export async function passKey(
  trx: Transaction<Tables>,
  claim: Claim,
  sessionId: string,
  nextId: string,
): Promise<void> {
  await trx
    .updateTable('idempotency_keys')
    .set({ session_id: nextId })
    .where('account_id', '=', claim.accountId)
    .where('key_hash', '=', claim.keyHash)
    .where('session_id', '=', sessionId)
    .execute();
}

/**
 * Marks a session as abandoned and frees its key; a key that was closed stays closed. False: a repeat was answered with
 * that session. Safe to repeat.
 */
export function markAbandoned(
  db: Database,
  { session, claim, at }: { session: SessionRow; claim: Claim | undefined; at: number },
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    if (claim && !(await freeKey(trx, claim, session.id))) {
      const key = await findKey(trx, claim);
      if (key?.session_id === session.id && key.closed_at === null) return false;
    }
    await trx
      .updateTable('sessions')
      .set((e) => ({ abandoned_at: e.fn.coalesce('abandoned_at', e.val(at)) }))
      .where('id', '=', session.id)
      .where('state', '=', 'ACTIVE')
      .execute();
    return true;
  });
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

/** Frees the key of an abandoned session. False: a repeat was answered with it, or the key was closed. */
export async function freeKey(db: Database, claim: Claim, sessionId: string): Promise<boolean> {
  const result = await db
    .deleteFrom('idempotency_keys')
    .where('account_id', '=', claim.accountId)
    .where('key_hash', '=', claim.keyHash)
    .where('session_id', '=', sessionId)
    .where('shared', '=', 0)
    .where('closed_at', 'is', null)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Frees the key of a session that has ended without an answer, so that a repeat starts anew. */
export async function freeEndedKey(db: Database, claim: Claim, sessionId: string): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('account_id', '=', claim.accountId)
    .where('key_hash', '=', claim.keyHash)
    .where('session_id', '=', sessionId)
    .where('closed_at', 'is', null)
    // Two sessions must never run under one key.
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('sessions')
            .select('sessions.id')
            .whereRef('sessions.id', '=', 'idempotency_keys.session_id')
            .where('sessions.state', 'in', ['STARTING', 'ACTIVE']),
        ),
      ),
    )
    .execute();
}

/**
 * Closes a key, so that it opens nothing any more. Returns the id of its session; `''`: there is none. Call it under
 * the account's lock.
 */
export async function closeKey(
  trx: Transaction<Tables>,
  { accountId, keyHash }: KeyOf,
  now: number,
): Promise<string> {
  const closed = { params_hash: '', session_id: '', created_at: now, closed_at: now };
  const { session_id } = await trx
    .insertInto('idempotency_keys')
    .values({ account_id: accountId, key_hash: keyHash, ...closed })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'key_hash']).doUpdateSet((e) => ({
        closed_at: e.fn.coalesce('idempotency_keys.closed_at', e.val(now)),
      })),
    )
    .returning('session_id')
    .executeTakeFirstOrThrow();
  return session_id;
}

/** Counts the keys that an account has closed and that have no session. */
export async function countClosedKeys(trx: Transaction<Tables>, accountId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('idempotency_keys')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where(sql<boolean>`session_id = ''`)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function pruneKeys(db: Database, now: number): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('created_at', '<=', now - keyLifetimeMs)
    .execute();
}
