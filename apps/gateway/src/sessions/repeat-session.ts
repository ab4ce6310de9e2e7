import { setTimeout as delay } from 'node:timers/promises';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { countSlots } from '../limits/slot-store.ts';
import { concurrencyRecord } from '../limits/slots.ts';
import type { AccountRow, SessionRow } from '../store/tables.ts';
import type { Claim } from './idempotency.ts';
import { shareKey } from './idempotency-store.ts';
import type { OpenedSession } from './open-session.ts';
import { findSessionById } from './session-store.ts';

const pollMs = { first: 20, longest: 250 };

/**
 * Answers a repeat of a create with the first one's session, once that is up. Undefined: the first one came to
 * nothing, and the key is free again.
 */
export async function repeatSession(
  gateway: Gateway,
  account: AccountRow,
  { claim, sessionId }: { claim: Claim; sessionId: string },
  signal: AbortSignal,
): Promise<OpenedSession | undefined> {
  const session = await startedSession(gateway, sessionId, signal);
  if (!session || !(await shareKey(gateway.db, claim, sessionId))) return undefined;
  if (session.state !== 'ACTIVE')
    throw new ApiError('sessionEnded', { message: `Session is ${session.state}` });
  const { remaining } = concurrencyRecord(account, await countSlots(gateway.db, account.id));
  return { session, limit: account.concurrent_limit, remaining };
}

/** The first create may run on another gateway, so its outcome is asked of the store. */
async function startedSession(
  { db }: Gateway,
  id: string,
  signal: AbortSignal,
): Promise<SessionRow | undefined> {
  for (let waitMs = pollMs.first; ; waitMs = Math.min(waitMs * 2, pollMs.longest)) {
    const session = await findSessionById(db, id);
    if (session?.state !== 'STARTING') return session;
    try {
      await delay(waitMs, undefined, { signal });
    } catch (cause) {
      const detail = 'another request with this Idempotency-Key is still at it; try again';
      throw new ApiError('creationFailed', { detail, cause });
    }
  }
}
