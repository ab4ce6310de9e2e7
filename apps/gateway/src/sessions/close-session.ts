import type { EndedBrowser } from '@turnpike/contract/host';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { keepLeftProfile } from '../saved-profiles/session-profile.ts';
import { isStoreOutage } from '../store/outage.ts';
import type { SessionRow, SessionState } from '../store/tables.ts';
import { endAndLog, endingOf } from './end-session.ts';
import type { Claim } from './idempotency.ts';
import { markAbandoned } from './idempotency-store.ts';
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
  return endAndLog(gateway, session, ended ? endingOf(gateway, ended) : lost);
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

/** A client that went away before it had its answer. */
export interface HangUp {
  session: SessionRow;
  claim: Claim | undefined;
  at: number;
}

/**
 * For a client that hung up before it had its session's id: nobody else will ever close it, unless a repeat
 * under the same Idempotency-Key has it. First the store knows of it, so that whatever fails afterwards any gateway's
 * reaper tries again, and the bill ends with the hang-up.
 */
export async function abandonSession(gateway: Gateway, session: SessionRow, claim?: Claim): Promise<void> {
  const hangUp = { session, claim, at: gateway.now() };
  gateway.hangUps.set(session.id, hangUp);
  try {
    if (await markHangUp(gateway, hangUp))
      await closeAbandoned(gateway, { ...session, abandoned_at: hangUp.at });
  } catch (error) {
    gateway.logger.warn({ err: error, ...ids(session) }, 'a hang-up could not be stored; trying again');
  }
}

/** False: the session stays, for somebody else was answered with it. */
export async function markHangUp(gateway: Gateway, hangUp: HangUp): Promise<boolean> {
  const isAbandoned = await markAbandoned(gateway.db, hangUp);
  gateway.hangUps.delete(hangUp.session.id);
  return isAbandoned;
}

/** It never rejects: what cannot be closed now is found by the reaper again. */
export async function closeAbandoned(gateway: Gateway, session: SessionRow): Promise<void> {
  try {
    await closeSession(gateway, session, false);
    gateway.logger.info(ids(session), 'closed a session whose client hung up during the create');
  } catch (error) {
    const message = 'a session whose client hung up could not be closed; trying again';
    gateway.logger.error({ err: error, ...ids(session) }, message);
  }
}

const ids = ({ id, account_id }: SessionRow) => ({ sessionId: id, accountId: account_id });
