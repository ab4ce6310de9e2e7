import type { SessionStatus } from '@turnpike/contract/session';
import { ApiError } from '../http/api-error.ts';
import { lockAccount } from '../limits/account-lock-store.ts';
import { closeSession } from '../sessions/close-session.ts';
import { findSessionById } from '../sessions/session-store.ts';
import type { SessionRow } from '../store/tables.ts';
import type { CreateContext } from './create-context.ts';
import { hashedKey } from './idempotency.ts';
import { closeKey, countClosedKeys } from './idempotency-store.ts';
import { releaseSession } from './starting-session-store.ts';

/** Closed keys without a session are stored for a day. A client that cleans up needs only a few. */
const maxClosedKeys = 1000;

export interface ClosedByKey {
  /** Null: there is no session, and the key will open none. */
  sessionId: string | null;
  status: SessionStatus;
}

/**
 * Closes by Idempotency-Key, for a client that does not know what became of its create. The session that it opened is
 * closed; one that is still starting is dropped, unbilled; a create that arrives later is refused.
 */
export async function closeByKey(
  context: CreateContext,
  accountId: string,
  key: string,
): Promise<ClosedByKey> {
  const session = await settleKey(context, accountId, key);
  if (!session) return { sessionId: null, status: 'CLOSED' };
  const status = await closeSession(context, session);
  return { sessionId: session.id, status: status as SessionStatus };
}

function settleKey(
  { db, now }: CreateContext,
  accountId: string,
  key: string,
): Promise<SessionRow | undefined> {
  return db.transaction().execute(async (trx) => {
    await lockAccount(trx, accountId);
    const id = await closeKey(trx, hashedKey(accountId, key), now());
    const session = id === '' ? undefined : await findSessionById(trx, id);
    if (session?.state === 'STARTING') {
      await releaseSession(trx, session.id, true);
      return undefined;
    }
    if (id === '' && (await countClosedKeys(trx, accountId)) > maxClosedKeys)
      throw new ApiError('tooManyClosedKeys');
    return session;
  });
}
