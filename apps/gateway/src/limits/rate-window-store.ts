import type { Kysely, Transaction } from 'kysely';
import type { AttemptTable, Tables } from '../store/tables.ts';

/** Sliding windows of 60 seconds. They count every request, and store only as many as decide the next one. */
export const windowMs = 60_000;

export type RateWindow = 'create_attempts' | 'stats_attempts';

export interface RateAttempt {
  accountId: string;
  /** The request's number among the account's requests. */
  seq: number;
  /** Requests allowed in the window. */
  rate: number;
  now: number;
}

/** Both windows have the same columns. */
const table = (trx: Transaction<Tables>, window: RateWindow) => ({
  db: trx as unknown as Kysely<{ attempts: AttemptTable }>,
  name: window as unknown as 'attempts',
});

/** Records a request over the one that no decision needs any more, so that only the latest `rate` are stored. */
export async function recordAttempt(
  trx: Transaction<Tables>,
  window: RateWindow,
  { accountId, seq, rate, now }: RateAttempt,
): Promise<void> {
  const { db, name } = table(trx, window);
  const reused = await db
    .updateTable(name)
    .set({ seq, at: now })
    .where('account_id', '=', accountId)
    .where('seq', '=', seq - rate)
    .executeTakeFirst();
  if (reused.numUpdatedRows === 0n) {
    await db.insertInto(name).values({ account_id: accountId, seq, at: now }).execute();
  }
}

/** Returns when the request with that number was made; undefined if there was none, or it was overwritten. */
export async function attemptTime(
  trx: Transaction<Tables>,
  window: RateWindow,
  accountId: string,
  seq: number,
): Promise<number | undefined> {
  const { db, name } = table(trx, window);
  const row = await db
    .selectFrom(name)
    .select('at')
    .where('account_id', '=', accountId)
    .where('seq', '=', seq)
    .executeTakeFirst();
  return row?.at;
}
