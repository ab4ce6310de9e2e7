import { pruneTraffic } from '../ledger/traffic-store.ts';
import type { SessionReports } from '../seams/host-reports.ts';
import { endAndLog } from './end-session.ts';
import { forEachSession } from './for-each-session.ts';
import { overdueSessions } from './reaper-store.ts';
import type { SessionContext } from './session-context.ts';
import { settleHeartbeat } from './settle-heartbeat.ts';

/** A host ends its sessions by itself; this much later the reaper does. */
const expiryGraceMs = 5000;

/** Ends sessions that nobody else will. Runs on any number of gateways at once: each end is conditional. */
export function sessionReaper(context: SessionContext): SessionReports {
  return {
    heartbeat: (report) => settleHeartbeat(context, report),

    async hostsLost(sessions) {
      await forEachSession(context, sessions, async (session) => {
        context.metrics.lease('session_of_lost_host');
        const endedAt = session.heartbeat_at;
        await endAndLog(context, session, { status: 'DEAD', endedAt, reason: 'host_lost' });
      });
    },

    async endOverdue(now) {
      const overdue = await overdueSessions(context.db, now - expiryGraceMs);
      await forEachSession(context, overdue, async (session) => {
        context.metrics.lease('session_overdue');
        const endedAt = session.expires_at;
        await endAndLog(context, session, { status: 'EXPIRED', endedAt, reason: 'lifetime' });
      });
      return overdue.length;
    },

    pruneTraffic: (now) => pruneTraffic(context.db, now),
  };
}
