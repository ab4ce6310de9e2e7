import { sessionIdPattern } from '@turnpike/contract/ids';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { countSlots } from '../limits/slot-store.ts';
import { concurrencyRecord } from '../limits/slots.ts';
import type { AccountRow } from '../store/tables.ts';
import type { OpenedSession } from './open-session.ts';
import { findSession } from './session-store.ts';

/** Finds a running session again. Takes no slot and counts against no limit. The CDP id will not do. */
export async function reconnectSession(
  gateway: Gateway,
  account: AccountRow,
  id: unknown,
): Promise<OpenedSession> {
  if (typeof id !== 'string' || !sessionIdPattern.test(id)) throw new ApiError('sessionNotFound');
  const { db } = gateway;
  const [session, slots] = await lookUp(() =>
    Promise.all([
      findSession(db, { accountId: account.id, id, now: gateway.now() }),
      countSlots(db, account.id),
    ]),
  );
  if (!session) throw new ApiError('sessionNotFound');
  if (session.state !== 'ACTIVE')
    throw new ApiError('sessionEnded', { message: `Session is ${session.state}` });
  const { remaining } = concurrencyRecord(account, slots);
  return { session, limit: account.concurrent_limit, remaining };
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
