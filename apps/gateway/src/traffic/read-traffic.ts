import type { TrafficReport } from '@turnpike/contract/traffic';
import { bytesOf, reconciled, type Traffic, trafficOf } from '../ledger/traffic.ts';
import { findTraffic } from '../ledger/traffic-store.ts';
import type { SessionContext } from '../sessions/session-context.ts';
import { isStoreOutage } from '../store/outage.ts';
import type { SessionRow } from '../store/tables.ts';

/** A session, and where its bytes went. */
export interface ReadTraffic {
  session: SessionRow;
  traffic: Traffic;
  bytes: Pick<TrafficReport, 'bytesUp' | 'bytesDown'>;
  /** When it was so, by the store's clock. */
  at: number;
  live: boolean;
}

/** Reads a session's traffic: from its host while it runs, and otherwise what was stored last. */
export async function readTraffic(
  context: Pick<SessionContext, 'db' | 'now' | 'findHost' | 'logger'>,
  session: SessionRow,
): Promise<ReadTraffic> {
  const report = session.state === 'ACTIVE' ? await askHost(context, session) : undefined;
  if (report) {
    const at = context.now();
    const { bytesUp, bytesDown } = report;
    return { session, traffic: trafficOf(report, at), bytes: { bytesUp, bytesDown }, at, live: true };
  }
  const stored = await findTraffic(context.db, session.id);
  const known = { bytesUp: session.bytes_up, bytesDown: session.bytes_down };
  // It may have been stored since the session was read.
  const newer = stored && bytesOf(stored.traffic);
  const bytes = newer && newer.bytesUp + newer.bytesDown > known.bytesUp + known.bytesDown ? newer : known;
  const at = stored?.at ?? session.ended_at ?? session.created_at;
  return { session, traffic: reconciled(stored?.traffic, bytes), bytes, at, live: false };
}

/** A host that does not answer must not keep what is stored from being read. */
async function askHost(
  { findHost, logger }: Pick<SessionContext, 'findHost' | 'logger'>,
  session: SessionRow,
): Promise<TrafficReport | undefined> {
  try {
    const host = await findHost(session.host, session.host_boot);
    return await host?.traffic(session.id);
  } catch (error) {
    if (isStoreOutage(error)) throw error;
    logger.debug({ err: error, sessionId: session.id }, "a session's host did not answer for its traffic");
    return undefined;
  }
}
