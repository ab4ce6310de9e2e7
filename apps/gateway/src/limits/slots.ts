import { type ConcurrencyRecord, unlimitedCount } from '@turnpike/contract/account';
import type { AccountRow } from '../store/tables.ts';

/** Slots in use: ACTIVE sessions, and creates in progress. */
export interface Slots {
  active: number;
  starting: number;
}

export function concurrencyRecord(
  account: Pick<AccountRow, 'concurrent_limit'>,
  slots: Slots,
): ConcurrencyRecord {
  const limit = account.concurrent_limit;
  return {
    limit: limit ?? unlimitedCount,
    active: slots.active,
    remaining: limit === null ? unlimitedCount : Math.max(0, limit - slots.active - slots.starting),
    unlimited: limit === null,
  };
}
