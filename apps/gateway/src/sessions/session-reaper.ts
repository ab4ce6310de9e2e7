import { pruneKeys } from '../creates/idempotency-store.ts';
import { pruneQueue } from '../creates/wait-queue-store.ts';
import { pruneTraffic } from '../ledger/traffic-store.ts';
import type { HeartbeatReport, HostReports, LostSession, SettledHeartbeat } from '../seams/host-reports.ts';
import { closeAbandoned, storeAbandonment } from './close-session.ts';
import { endAndLog } from './end-session.ts';
import { forEachSession } from './for-each-session.ts';
import { abandonedSessions, overdueSessions, reapStarting, releaseStarting } from './reaper-store.ts';
import type { SessionContext } from './session-context.ts';
import { settleHeartbeat } from './settle-heartbeat.ts';

/** A host ends its sessions by itself; this much later the reaper does. */
const expiryGraceMs = 5000;

/** Ends sessions that nobody else will. Runs on any number of gateways at once: each end is conditional. */
export class SessionReaper implements HostReports {
  readonly #context: SessionContext;
  /** Abandoned sessions that are being closed, which takes as long as their hosts do. */
  readonly #closing = new Map<string, Promise<void>>();

  constructor(context: SessionContext) {
    this.#context = context;
  }

  heartbeat(report: HeartbeatReport): Promise<SettledHeartbeat> {
    return settleHeartbeat(this.#context, report);
  }

  async hostsLost(sessions: readonly LostSession[]): Promise<void> {
    await forEachSession(this.#context, sessions, async (session) => {
      this.#context.metrics.lease('session_of_lost_host');
      const endedAt = session.heartbeat_at;
      await endAndLog(this.#context, session, { status: 'DEAD', endedAt, reason: 'host_lost' });
    });
  }

  async releaseLateCreates(now: number): Promise<number> {
    const { db, logger, metrics } = this.#context;
    const released = await reapStarting(db, now);
    for (const sessionId of released) {
      metrics.lease('create_reaped');
      logger.warn({ sessionId }, 'reaped a create that missed its deadline');
    }
    return released.length;
  }

  async endOverdue(now: number): Promise<number> {
    const overdue = await overdueSessions(this.#context.db, now - expiryGraceMs);
    await forEachSession(this.#context, overdue, async (session) => {
      this.#context.metrics.lease('session_overdue');
      const endedAt = session.expires_at;
      await endAndLog(this.#context, session, { status: 'EXPIRED', endedAt, reason: 'lifetime' });
    });
    return overdue.length;
  }

  async cleanUp(now: number): Promise<void> {
    await this.#closeAbandoned();
    await pruneKeys(this.#context.db, now);
    await pruneQueue(this.#context.db, now);
    await pruneTraffic(this.#context.db, now);
  }

  async idle(): Promise<void> {
    await Promise.all(this.#closing.values());
  }

  /** Stores abandonments that could not be stored before, and closes abandoned sessions that could not be closed. */
  async #closeAbandoned(): Promise<void> {
    const context = this.#context;
    const unstored = [...context.abandonments.values()].map((each) => ({ id: each.session.id, each }));
    await forEachSession(context, unstored, async ({ each }) => {
      await storeAbandonment(context, each);
    });
    for (const session of await abandonedSessions(context.db)) {
      if (this.#closing.has(session.id)) continue;
      context.metrics.lease('session_abandoned');
      const closed = closeAbandoned(context, session).finally(() => this.#closing.delete(session.id));
      this.#closing.set(session.id, closed);
    }
  }
}

/** Releases creates that an earlier run of the store's only gateway left unfinished. */
export async function releaseUnfinishedCreates({
  db,
  logger,
}: Pick<SessionContext, 'db' | 'logger'>): Promise<void> {
  const creates = await releaseStarting(db);
  if (creates > 0) logger.warn({ creates }, 'released creates that an earlier run did not finish');
}
