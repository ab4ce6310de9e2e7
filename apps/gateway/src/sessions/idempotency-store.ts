import { sql, type Transaction } from 'kysely';
import type { Database } from '../store/database.ts';
import type { IdempotencyKeyRow, SessionRow, Tables } from '../store/tables.ts';
import { type Claim, keyLifetimeMs } from './idempotency.ts';

/**
 * Takes the key for a session that is about to start. A key whose session has no row is free: its create
 * failed, or its gateway died and the row was reaped. False: it is taken, or it was closed. Under the account's lock:
 * a statement of PostgreSQL's sees sessions as of its beginning, but the key as of when it got hold of that row, so
 * with a rename in between the key would seem to lead nowhere.
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

/** From now on the session is not its creator's alone. False: the creator has given it up. */
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

/** A create under way goes on under another id. */
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
 * Gives up a session whose creator hung up, and frees its key; one that was closed stays closed. False: a repeat was
 * answered with that session. Safe to repeat.
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

/** Frees the key of a session that its creator gives up. False: a repeat was answered with it, or it was closed. */
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

/**
 * Closes a key: from now on it opens nothing. Answers the session that it leads to; `''`: none came with it. Under the
 * account's lock.
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

/** How many keys an account has closed that led to no session. */
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
