import type { EndedBrowser } from '@turnpike/contract/host';
import type { Gateway } from '../gateway.ts';
import { isStoreOutage } from '../store/outage.ts';
import type { SessionRow, SessionState } from '../store/tables.ts';
import { reasonOfCause, statusOfCause } from './session.ts';
import { type Ending, endSession, findSessionById } from './session-store.ts';

/** Ends a session, or finds out how it had ended. */
export async function endAndLog(
  { db, logger, metrics }: Gateway,
  session: SessionRow,
  ending: Ending,
): Promise<SessionState> {
  const { state, endedFor } = await endSession(db, session, ending);
  if (endedFor) {
    metrics.ended(state, endedFor);
    logger.info({ sessionId: session.id, accountId: session.account_id, status: state }, 'session ended');
  }
  return state;
}

/** Fewer than a pool of connections has: requests go on beside it. */
const sessionsAtOnce = 4;

/**
 * Does something for each of many sessions. One for which it fails is logged and counted, and is none of the others'
 * business. A store that is away fails for all.
 */
export async function eachApart<T extends { id: string }>(
  { logger, metrics }: Pick<Gateway, 'logger' | 'metrics'>,
  sessions: readonly T[],
  work: (session: T) => Promise<void>,
): Promise<void> {
  const left = sessions.values();
  const workThrough = async () => {
    for (const session of left) {
      try {
        await work(session);
      } catch (error) {
        if (isStoreOutage(error)) throw error;
        metrics.lease('session_failed');
        logger.error({ err: error, sessionId: session.id }, 'a session could not be settled; trying again');
      }
    }
  };
  await Promise.all(Array.from({ length: sessionsAtOnce }, workThrough));
}

/** Takes a host's word on a browser's end. False: its create is still under way, and it is to be told again. */
export async function settleReportedEnd(gateway: Gateway, ended: EndedBrowser): Promise<boolean> {
  const session = await findSessionById(gateway.db, ended.sessionId);
  if (session?.state === 'STARTING') return false;
  if (session?.state === 'ACTIVE') await endAndLog(gateway, session, endingOf(gateway, ended));
  return true;
}

/** A browser's end as the store keeps it: when it was, by the store's clock. */
export function endingOf({ now }: Pick<Gateway, 'now'>, ended: EndedBrowser): Ending {
  const { cause, reason = reasonOfCause[cause] } = ended;
  const agoMs = Math.max(0, Math.round(performance.now() - ended.endedAt));
  return { ...ended, endedAt: now() - agoMs, reason, status: statusOfCause[cause] };
}
