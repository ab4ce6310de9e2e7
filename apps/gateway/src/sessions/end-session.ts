import type { EndedBrowser } from '@turnpike/contract/host';
import type { Context } from '../seams/context.ts';
import type { SessionRow, SessionState } from '../store/tables.ts';
import { reasonOfCause, statusOfCause } from './session.ts';
import type { SessionContext } from './session-context.ts';
import { type Ending, endSession } from './session-lifecycle-store.ts';

/** Ends a session, or finds out how it ended before. Logs and counts the ending that was first. */
export async function endAndLog(
  context: Pick<SessionContext, 'db' | 'logger' | 'metrics' | 'outbox' | 'countBytes'>,
  session: SessionRow,
  ending: Ending,
): Promise<SessionState> {
  const { state, endedFor, dropped, proxies = [] } = await endSession(context, session, ending);
  if (endedFor) {
    context.metrics.ended(state, endedFor);
    context.metrics.proxiesUsed(proxies);
    const { id: sessionId, account_id: accountId } = session;
    context.logger.info({ sessionId, accountId, status: state }, 'session ended');
    if (dropped) {
      context.metrics.itemFailed('traffic_report');
      context.logger.error(
        { sessionId, accountId, host: session.host, ...dropped },
        "a host's report does not add up to its bytes in total: its destinations or proxies were dropped",
      );
    }
  }
  return state;
}

/** Turns a browser's end into a session's ending, with its time by the store's clock. */
export function endingOf({ now }: Pick<Context, 'now'>, ended: EndedBrowser): Ending {
  const { cause, reason = reasonOfCause[cause] } = ended;
  return { ...ended, endedAt: now() - ended.agoMs, reason, status: statusOfCause[cause] };
}
