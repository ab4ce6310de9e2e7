import { concurrencyRecord, type Slots } from '../limits/slots.ts';
import type { AccountRow, SessionRow } from '../store/tables.ts';

/** What the client of a create or a reconnect is answered with. */
export interface OpenedSession {
  session: SessionRow;
  /** Null: unlimited. */
  limit: number | null;
  /** Slots still free after this one. */
  remaining: number | null;
}

/** Describes a session that was open already, with the slots that are free now. */
export function openedEarlier(account: AccountRow, session: SessionRow, slots: Slots): OpenedSession {
  const { remaining } = concurrencyRecord(account, slots);
  return { session, limit: account.concurrent_limit, remaining };
}
