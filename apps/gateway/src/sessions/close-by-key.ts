import type { SessionStatus } from '@turnpike/contract/session';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { lockAccount } from '../limits/account-lock-store.ts';
import type { SessionRow } from '../store/tables.ts';
import { closeSession } from './close-session.ts';
import { keyOf } from './idempotency.ts';
import { closeKey, countClosedKeys } from './idempotency-store.ts';
import { findSessionById, releaseSession } from './session-store.ts';

/** An account's closed keys without a session take room for a day; a client that cleans up needs a handful. */
const maxClosedKeys = 1000;

export interface ClosedByKey {
  /** Null: there was no session, and there will be none. */
  browserId: string | null;
  status: SessionStatus;
}

/**
 * For a client that does not know what has become of its create: the session that the create opened is closed, one
 * that is still starting comes to nothing, unbilled, and a create that arrives later is refused.
 */
export async function closeByKey(gateway: Gateway, accountId: string, key: string): Promise<ClosedByKey> {
  const session = await settleKey(gateway, accountId, key);
  if (!session) return { browserId: null, status: 'CLOSED' };
  const status = await closeSession(gateway, session);
  return { browserId: session.id, status: status as SessionStatus };
}

function settleKey({ db, now }: Gateway, accountId: string, key: string): Promise<SessionRow | undefined> {
  return db.transaction().execute(async (trx) => {
    await lockAccount(trx, accountId);
    const id = await closeKey(trx, keyOf(accountId, key), now());
    const session = id === '' ? undefined : await findSessionById(trx, id);
    if (session?.state === 'STARTING') {
      await releaseSession(trx, session.id);
      return undefined;
    }
    if (id === '' && (await countClosedKeys(trx, accountId)) > maxClosedKeys)
      throw new ApiError('tooManyClosedKeys');
    return session;
  });
}
