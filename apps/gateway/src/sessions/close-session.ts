import type { EndedBrowser } from '@turnpike/contract/host';
import type { Claim } from '../creates/idempotency.ts';
import { markAbandoned } from '../creates/idempotency-store.ts';
import { ApiError } from '../http/api-error.ts';
import { isStoreOutage } from '../store/outage.ts';
import type { SessionRow, SessionState } from '../store/tables.ts';
import { endAndLog, endingOf } from './end-session.ts';
import type { Abandonment, SessionContext } from './session-context.ts';
import type { Ending } from './session-lifecycle-store.ts';

/** Closes a session for a caller. Returns its final state; one that had ended before keeps its own. */
export async function closeSession(
  context: SessionContext,
  session: SessionRow,
  saves = session.saves_profile === 1 || session.saves_cache === 1,
): Promise<SessionState> {
  if (session.state !== 'ACTIVE') return session.state;
  const ended = await closeOnHost(context, session, saves);
  // A browser that its host no longer has counts as closed.
  const lost: Ending = { status: 'CLOSED', endedAt: context.now(), reason: 'client_close' };
  return endAndLog(context, session, ended ? endingOf(context, ended) : lost);
}

/** Saves the profile and the cache before the session ends, so that the next session to save them starts after that. */
async function closeOnHost(
  context: SessionContext,
  session: SessionRow,
  saves: boolean,
): Promise<EndedBrowser | undefined> {
  try {
    const host = await context.findHost(session.host, session.host_boot);
    if (host && saves) await context.profiles.save(session, await host.save(session.id));
    return await host?.close(session.id);
  } catch (error) {
    if (isStoreOutage(error)) throw error;
    const reason = error instanceof Error ? error.message : 'the host refused';
    throw new ApiError('closeRefused', { because: reason, cause: error });
  }
}

/**
 * Closes a session whose client disconnected before it got the session's id. Nobody else will close it, unless a repeat
 * with the same Idempotency-Key was answered with it. The store learns of it first: if a later step fails, any
 * gateway's reaper tries again, and the bill ends with the disconnect.
 */
export async function abandonSession(
  context: SessionContext,
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
export async function storeAbandonment(context: SessionContext, abandonment: Abandonment): Promise<boolean> {
  const isAbandoned = await markAbandoned(context.db, abandonment);
  context.abandonments.delete(abandonment.session.id);
  return isAbandoned;
}

/** Closes an abandoned session. Never rejects: if it cannot be closed now, the reaper tries again. */
export async function closeAbandoned(context: SessionContext, session: SessionRow): Promise<void> {
  try {
    await closeSession(context, session, false);
    context.logger.info(ids(session), 'closed a session whose client disconnected during the create');
  } catch (error) {
    const message = 'could not close a session whose client disconnected; will retry';
    context.logger.error({ err: error, ...ids(session) }, message);
  }
}

const ids = ({ id, account_id }: SessionRow) => ({ sessionId: id, accountId: account_id });
