import type { Transaction } from 'kysely';
import type { Database } from '../store/database.ts';
import type { Tables } from '../store/tables.ts';

const firstRetryMs = 10_000;
const maxRetryMs = 300_000;

/** How long after its last failure a proxy is dialled again: from 10 seconds, doubled each time, to 5 minutes. */
export const retryMs = (failures: number): number =>
  Math.min(firstRetryMs * 2 ** Math.min(Math.max(0, failures - 1), 10), maxRetryMs);

/** Stores a failure. True: it had not been failing. */
export async function markFailing(
  trx: Database | Transaction<Tables>,
  id: string,
  { reason, now }: { reason: string; now: number },
): Promise<boolean> {
  const failing = { last_error: reason.slice(0, 500), state: 'failing' } as const;
  const changed = await trx
    .updateTable('saved_proxies')
    .set({ ...failing, state_at: now, failures: 1, next_check_at: now + retryMs(1) })
    .where('id', '=', id)
    .where('state', '!=', 'failing')
    .executeTakeFirst();
  if (changed.numUpdatedRows > 0n) return true;
  await trx
    .updateTable('saved_proxies')
    .set({ last_error: failing.last_error })
    .where('id', '=', id)
    .execute();
  return false;
}

/** Stores that a proxy works, unless something else was found out since its state was read. Answers whether it did. */
export async function markHealthy(
  trx: Database | Transaction<Tables>,
  id: string,
  { read, now }: { read: { name: string; at: number }; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('saved_proxies')
    .set({ state: 'healthy', state_at: now, failures: 0, next_check_at: null, last_error: null })
    .where('id', '=', id)
    .where('state', '=', read.name as 'unknown')
    .where('state_at', '=', read.at)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
