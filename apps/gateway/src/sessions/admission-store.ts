import type { Transaction } from 'kysely';
import { recordAttempt, windowMs } from '../accounts/rate-window-store.ts';
import type { Database } from '../store/database.ts';
import type { Tables } from '../store/tables.ts';
import type { Claim } from './idempotency.ts';
import { claimKey, findKey } from './idempotency-store.ts';
import type { StartingSession } from './session-store.ts';

export type Admission =
  | { outcome: 'admitted'; remaining: number | null; limit: number | null }
  | { outcome: 'repeated'; claim: Claim; sessionId: string }
  | { outcome: 'other-params' }
  | { outcome: 'suspended' }
  | { outcome: 'rate-limited'; limit: number }
  | { outcome: 'cap-reached' }
  | { outcome: 'no-slot'; limit: number; taken: number };

export interface AdmissionRequest {
  accountId: string;
  now: number;
  /** The row that takes the slot; a request that is refused for its form afterwards takes none. */
  session: StartingSession | undefined;
  /** Of an Idempotency-Key. */
  claim?: Claim | undefined;
  /** A request that waited for another's outcome in vain and comes again. */
  counted?: boolean;
}

/**
 * Decides a create under the account's row lock, in the order of the contract: rate window, hours,
 * concurrency. The request is counted in the window whatever the decision. A repeat takes nothing, so it is
 * found before hours and concurrency are asked.
 */
export function admitCreate(db: Database, request: AdmissionRequest): Promise<Admission> {
  return db.transaction().execute(async (trx) => {
    // A write first: it takes the account's row lock in PostgreSQL, and the write lock in SQLite.
    const account = await trx
      .updateTable('accounts')
      .set((e) => ({ create_seq: e('create_seq', '+', request.counted ? 0 : 1) }))
      .where('id', '=', request.accountId)
      .returningAll()
      .executeTakeFirstOrThrow();
    if (account.status !== 'active') return { outcome: 'suspended' };

    const rate = account.creates_per_minute;
    const { oldest, taken } = await lookUp(trx, request.accountId, account.create_seq - rate);
    if (!request.counted) {
      await recordAttempt(trx, 'create_attempts', {
        accountId: request.accountId,
        seq: account.create_seq,
        rate,
        now: request.now,
      });
    }
    if (!request.counted && oldest !== null && oldest > request.now - windowMs) {
      return { outcome: 'rate-limited', limit: rate };
    }
    const repeated = await findRepeated(trx, request);
    if (repeated) return repeated;
    const cap = account.browser_seconds_cap;
    if (cap !== null && account.browser_seconds >= cap) return { outcome: 'cap-reached' };
    const limit = account.concurrent_limit;
    if (limit !== null && taken >= limit) return { outcome: 'no-slot', limit, taken };

    if (request.session) await trx.insertInto('sessions').values(request.session).execute();
    return { outcome: 'admitted', limit, remaining: limit === null ? null : limit - taken - 1 };
  });
}

async function findRepeated(
  trx: Transaction<Tables>,
  { claim, session, now }: AdmissionRequest,
): Promise<Admission | undefined> {
  if (!claim || !session) return undefined;
  for (;;) {
    if (await claimKey(trx, claim, session.id, now)) return undefined;
    const key = await findKey(trx, claim);
    // It may have been freed since.
    if (!key) continue;
    if (key.params_hash !== claim.paramsHash) return { outcome: 'other-params' };
    return { outcome: 'repeated', claim, sessionId: key.session_id };
  }
}

/** When the request `rate` requests ago was made: inside the window, this one is too many. */
async function lookUp(trx: Transaction<Tables>, accountId: string, seq: number) {
  const row = await trx
    .selectNoFrom((e) => [
      e
        .selectFrom('create_attempts')
        .select('at')
        .where('account_id', '=', accountId)
        .where('seq', '=', seq)
        .as('oldest'),
      e
        .selectFrom('sessions')
        .select((s) => s.fn.countAll<number>().as('taken'))
        .where('account_id', '=', accountId)
        .where('state', 'in', ['STARTING', 'ACTIVE'])
        .as('taken'),
    ])
    .executeTakeFirstOrThrow();
  return { oldest: row.oldest, taken: row.taken ?? 0 };
}
