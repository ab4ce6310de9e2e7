import type { EndedBrowser } from '@turnpike/contract/host';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { keepLeftProfile } from '../saved-profiles/profile-of-session.ts';
import { isStoreOutage } from '../store/outage.ts';
import type { SessionRow, SessionState } from '../store/tables.ts';
import { endAndLog, endingOf } from './end-session.ts';
import type { Claim } from './idempotency.ts';
import { freeKey } from './idempotency-store.ts';
import type { Ending } from './session-store.ts';

/** Ends a session for a caller and answers its final status; one that has ended already keeps its own. */
export async function closeSession(
  gateway: Gateway,
  session: SessionRow,
  keepsProfile = session.saves_profile === 1,
): Promise<SessionState> {
  if (session.state !== 'ACTIVE') return session.state;
  const ended = await closeOnHost(gateway, session, keepsProfile);
  // A browser that its host has lost already counts as closed.
  const lost: Ending = { status: 'CLOSED', endedAt: gateway.now(), reason: 'client_close' };
  return endAndLog(gateway, session, ended ? endingOf(ended) : lost);
}

/** What it leaves of its profile is kept before its end is known: the next session to save it begins after that. */
async function closeOnHost(
  gateway: Gateway,
  session: SessionRow,
  keepsProfile: boolean,
): Promise<EndedBrowser | undefined> {
  try {
    const host = await gateway.hosts.find(session.host, session.host_boot);
    if (host && keepsProfile) await keepLeftProfile(gateway, session, await host.save(session.id));
    return await host?.close(session.id);
  } catch (error) {
    if (isStoreOutage(error)) throw error;
    const reason = error instanceof Error ? error.message : 'the host refused';
    throw new ApiError('closeRefused', { because: reason, cause: error });
  }
}

/**
 * For a client that hung up before it had its session's id: nobody else will ever close it, unless a repeat
 * under the same Idempotency-Key has it.
 */
export async function abandonSession(gateway: Gateway, session: SessionRow, claim?: Claim): Promise<void> {
  const log = gateway.logger.child({ sessionId: session.id, accountId: session.account_id });
  try {
    if (claim && !(await freeKey(gateway.db, claim, session.id))) return;
    await closeSession(gateway, session, false);
    log.info('closed a session whose client hung up during the create');
  } catch (error) {
    log.error(
      { err: error },
      'a session whose client hung up could not be closed; it lives out its lifetime',
    );
  }
}
