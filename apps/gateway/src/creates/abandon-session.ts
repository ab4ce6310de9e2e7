import { closeSession } from '../sessions/close-session.ts';
import type { SessionRow } from '../store/tables.ts';
import type { Abandonment, CreateContext } from './create-context.ts';
import type { Claim } from './idempotency.ts';
import { freeEndedKey, markAbandoned } from './idempotency-store.ts';

/**
 * Closes a session whose client disconnected before it got the session's id. Nobody else will close it, unless a repeat
 * with the same Idempotency-Key was answered with it. The store learns of it first: if a later step fails, any
 * gateway's reaper tries again, and the bill ends with the disconnect.
 */
export async function abandonSession(
  context: CreateContext,
  session: SessionRow,
  claim?: Claim,
): Promise<void> {
  const abandonment = { session, claim, at: context.now() };
  context.abandonments.set(session.id, abandonment);
  try {
    if (await storeAbandonment(context, abandonment))
      await closeAbandoned(context, { ...session, abandoned_at: abandonment.at });
  } catch (error) {
    context.logger.warn({ err: error, ...ids(session) }, 'could not store an abandoned session; will retry');
  }
}

/** Marks a session as abandoned. False: the session stays, for a repeat was answered with it. */
export async function storeAbandonment(context: CreateContext, abandonment: Abandonment): Promise<boolean> {
  const isAbandoned = await markAbandoned(context.db, abandonment);
  context.abandonments.delete(abandonment.session.id);
  return isAbandoned;
}

/** Closes an abandoned session. Never rejects: if it cannot be closed now, the reaper tries again. */
export async function closeAbandoned(context: CreateContext, session: SessionRow): Promise<void> {
  try {
    await closeSession(context, session, false);
    context.logger.info(ids(session), 'closed a session whose client disconnected during the create');
  } catch (error) {
    const message = 'could not close a session whose client disconnected; will retry';
    context.logger.error({ err: error, ...ids(session) }, message);
  }
}

/** Frees the Idempotency-Key of a session that has ended before anything was answered. One that runs keeps its key. */
export const freeSessionKey = (
  { db }: CreateContext,
  claim: Claim,
  { id }: Pick<SessionRow, 'id'>,
): Promise<void> => freeEndedKey(db, claim, id);

const ids = ({ id, account_id }: SessionRow) => ({ sessionId: id, accountId: account_id });
