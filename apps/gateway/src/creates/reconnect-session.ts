import { sessionIdPattern } from '@turnpike/contract/ids';
import { ApiError } from '../http/api-error.ts';
import { countSlots } from '../limits/slot-store.ts';
import { concurrencyRecord, type Slots } from '../limits/slots.ts';
import { findSession } from '../sessions/session-store.ts';
import type { AccountRow, SessionRow } from '../store/tables.ts';
import type { CreateContext } from './create-context.ts';

/** What the client of a create or a reconnect is answered with. */
export interface OpenedSession {
  session: SessionRow;
  /** Null: unlimited. */
  limit: number | null;
  /** Slots still free after this one. */
  remaining: number | null;
  /** Set if another request with the same Idempotency-Key opened it. */
  isRepeat?: true;
}

/** Describes a session that was open already, with the slots that are free now. */
export function openedEarlier(account: AccountRow, session: SessionRow, slots: Slots): OpenedSession {
  const { remaining } = concurrencyRecord(account, slots);
  return { session, limit: account.concurrent_limit, remaining };
}

/** Finds a running session again, by its session id only. Takes no slot and counts against no limit. */
export async function reconnectSession(
  { db, now }: Pick<CreateContext, 'db' | 'now'>,
  account: AccountRow,
  id: unknown,
): Promise<OpenedSession> {
  if (typeof id !== 'string' || !sessionIdPattern.test(id)) throw new ApiError('sessionNotFound');
  const [session, slots] = await lookUp(() =>
    Promise.all([findSession(db, { accountId: account.id, id, now: now() }), countSlots(db, account.id)]),
  );
  if (!session) throw new ApiError('sessionNotFound');
  if (session.state !== 'ACTIVE')
    throw new ApiError('sessionEnded', { message: `Session is ${session.state}` });
  return openedEarlier(account, session, slots);
}

async function lookUp<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new ApiError('reconnectFailed', {
      because: 'the session could not be looked up, try again',
      cause: error,
    });
  }
}
