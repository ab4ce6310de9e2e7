import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../http/api-error.ts';
import { countSlots } from '../limits/slot-store.ts';
import { findSessionById } from '../sessions/session-store.ts';
import type { AccountRow, SessionRow } from '../store/tables.ts';
import type { CreateContext } from './create-context.ts';
import type { Claim } from './idempotency.ts';
import { shareKey } from './idempotency-store.ts';
import { type OpenedSession, openedEarlier } from './reconnect-session.ts';

const pollMs = { first: 20, longest: 250 };

/**
 * Answers a repeated create with the first one's session, once that is up. Returns undefined if the first one came to
 * nothing, and the key is free again.
 */
export async function repeatSession(
  context: CreateContext,
  account: AccountRow,
  { claim, sessionId }: { claim: Claim; sessionId: string },
  signal: AbortSignal,
): Promise<OpenedSession | undefined> {
  const session = await startedSession(context, sessionId, signal);
  if (!session || !(await shareKey(context.db, claim, sessionId))) return undefined;
  if (session.state !== 'ACTIVE')
    throw new ApiError('sessionEnded', { message: `Session is ${session.state}` });
  return { ...openedEarlier(account, session, await countSlots(context.db, account.id)), isRepeat: true };
}

/** Waits until a create has finished. It polls the store, for the create may run on another gateway. */
async function startedSession(
  { db }: CreateContext,
  id: string,
  signal: AbortSignal,
): Promise<SessionRow | undefined> {
  for (let waitMs = pollMs.first; ; waitMs = Math.min(waitMs * 2, pollMs.longest)) {
    const session = await findSessionById(db, id);
    if (session?.state !== 'STARTING') return session;
    try {
      await delay(waitMs, undefined, { signal });
    } catch (cause) {
      const detail = 'another request with this Idempotency-Key is still in progress; try again';
      throw new ApiError('creationFailed', { detail, cause });
    }
  }
}
