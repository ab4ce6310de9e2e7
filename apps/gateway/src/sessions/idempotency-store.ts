import type { Transaction } from 'kysely';
import type { Database } from '../store/database.ts';
import type { IdempotencyKeyRow, Tables } from '../store/tables.ts';
import { type Claim, keyLifetimeMs } from './idempotency.ts';

/**
 * Takes the key for a session that is about to start. A key whose session has no row is free: its create
 * failed, or its gateway died and the row was reaped. False: it is taken.
 */
export async function claimKey(
  trx: Transaction<Tables>,
  { accountId, keyHash, paramsHash }: Claim,
  sessionId: string,
  now: number,
): Promise<boolean> {
  const claim = { params_hash: paramsHash, session_id: sessionId, shared: 0, created_at: now };
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
            e.not(
              e.exists(
                e
                  .selectFrom('sessions')
                  .select('sessions.id')
                  .whereRef('sessions.id', '=', 'idempotency_keys.session_id'),
              ),
            ),
          ]),
        ),
    )
    .returning('session_id')
    .executeTakeFirst();
  return claimed !== undefined;
}

export function findKey(db: Database, claim: Claim): Promise<IdempotencyKeyRow | undefined> {
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

/** Frees the key of a session that its creator gives up. False: a repeat was answered with that session. */
export async function freeKey(db: Database, claim: Claim, sessionId: string): Promise<boolean> {
  const result = await db
    .deleteFrom('idempotency_keys')
    .where('account_id', '=', claim.accountId)
    .where('key_hash', '=', claim.keyHash)
    .where('session_id', '=', sessionId)
    .where('shared', '=', 0)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function pruneKeys(db: Database, now: number): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('created_at', '<=', now - keyLifetimeMs)
    .execute();
}
