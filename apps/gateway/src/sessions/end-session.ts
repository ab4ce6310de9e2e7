import type { EndedBrowser } from '@turnpike/contract/host';
import type { Gateway } from '../gateway.ts';
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

/** Takes a host's word on a browser's end. False: its create is still under way, and it is to be told again. */
export async function settleReportedEnd(gateway: Gateway, ended: EndedBrowser): Promise<boolean> {
  const session = await findSessionById(gateway.db, ended.sessionId);
  if (session?.state === 'STARTING') return false;
  if (session?.state === 'ACTIVE') await endAndLog(gateway, session, endingOf(ended));
  return true;
}

export function endingOf(ended: EndedBrowser): Ending {
  const { cause, reason = reasonOfCause[cause] } = ended;
  return { ...ended, reason, status: statusOfCause[cause] };
}
