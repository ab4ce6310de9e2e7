import { sessionIdPattern } from '@turnpike/contract/ids';
import { ApiError } from '../http/api-error.ts';
import { countSlots } from '../limits/slot-store.ts';
import { findSession } from '../sessions/session-store.ts';
import type { AccountRow } from '../store/tables.ts';
import type { CreateContext } from './create-context.ts';
import { type OpenedSession, openedEarlier } from './opened-session.ts';

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
