import type { EndedBrowser } from '@turnpike/contract/host';
import { ApiError } from '../http/api-error.ts';
import { isStoreOutage } from '../store/outage.ts';
import type { SessionRow, SessionState } from '../store/tables.ts';
import { endAndLog, endingOf } from './end-session.ts';
import type { SessionContext } from './session-context.ts';
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
