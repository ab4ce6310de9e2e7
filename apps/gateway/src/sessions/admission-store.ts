import type { Transaction } from 'kysely';
import { recordAttempt, windowMs } from '../accounts/rate-window-store.ts';
import type { Database } from '../store/database.ts';
import type { Tables } from '../store/tables.ts';
import type { StartingSession } from './session-store.ts';

export type Admission =
  | { outcome: 'admitted'; remaining: number | null; limit: number | null }
  | { outcome: 'suspended' }
  | { outcome: 'rate-limited'; limit: number }
  | { outcome: 'cap-reached' }
  | { outcome: 'no-slot'; limit: number; taken: number };

export interface AdmissionRequest {
  accountId: string;
  now: number;
  /** The row that takes the slot; a request that is refused for its form afterwards takes none. */
  session: StartingSession | undefined;
}

/**
 * Decides a create under the account's row lock, in the order of the contract: rate window, hours,
 * concurrency. The request is counted in the window whatever the decision.
 */
export function admitCreate(db: Database, request: AdmissionRequest): Promise<Admission> {
  return db.transaction().execute(async (trx) => {
    // A write first: it takes the account's row lock in PostgreSQL, and the write lock in SQLite.
    const account = await trx
      .updateTable('accounts')
      .set((e) => ({ create_seq: e('create_seq', '+', 1) }))
      .where('id', '=', request.accountId)
      .returningAll()
      .executeTakeFirstOrThrow();
    if (account.status !== 'active') return { outcome: 'suspended' };

    const rate = account.creates_per_minute;
    const { oldest, taken } = await lookUp(trx, request.accountId, account.create_seq - rate);
    await recordAttempt(trx, 'create_attempts', {
      accountId: request.accountId,
      seq: account.create_seq,
      rate,
      now: request.now,
    });
    if (oldest !== null && oldest > request.now - windowMs) {
      return { outcome: 'rate-limited', limit: rate };
    }
    const cap = account.browser_seconds_cap;
    if (cap !== null && account.browser_seconds >= cap) return { outcome: 'cap-reached' };
    const limit = account.concurrent_limit;
    if (limit !== null && taken >= limit) return { outcome: 'no-slot', limit, taken };

    if (request.session) await trx.insertInto('sessions').values(request.session).execute();
    return { outcome: 'admitted', limit, remaining: limit === null ? null : limit - taken - 1 };
  });
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
