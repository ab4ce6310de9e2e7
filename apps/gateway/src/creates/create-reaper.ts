import type { CreateReports } from '../seams/host-reports.ts';
import { forEachSession } from '../sessions/for-each-session.ts';
import { closeAbandoned, storeAbandonment } from './abandon-session.ts';
import type { CreateContext } from './create-context.ts';
import { abandonedSessions, pruneKeys } from './idempotency-store.ts';
import { reapStarting, releaseStarting } from './starting-session-store.ts';
import { pruneQueue } from './wait-queue-store.ts';

/** Cleans up after creates that nobody finishes. Runs on any number of gateways at once. */
export function createReaper(context: CreateContext): CreateReports {
  const { db, logger, metrics } = context;
  /** Abandoned sessions that are being closed, which takes as long as their hosts do. */
  const closing = new Map<string, Promise<void>>();

  /** Stores abandonments that could not be stored before, and closes abandoned sessions that could not be closed. */
  async function closeAllAbandoned(): Promise<void> {
    const unstored = [...context.abandonments.values()].map((each) => ({ id: each.session.id, each }));
    await forEachSession(context, unstored, async ({ each }) => {
      await storeAbandonment(context, each);
    });
    for (const session of await abandonedSessions(db)) {
      if (closing.has(session.id)) continue;
      metrics.lease('session_abandoned');
      const closed = closeAbandoned(context, session).finally(() => closing.delete(session.id));
      closing.set(session.id, closed);
    }
  }

  return {
    async releaseLateCreates(now) {
      const released = await reapStarting(db, now);
      for (const sessionId of released) {
        metrics.lease('create_reaped');
        logger.warn({ sessionId }, 'reaped a create that missed its deadline');
      }
      return released.length;
    },

    async cleanUpCreates(now) {
      await closeAllAbandoned();
      await pruneKeys(db, now);
      await pruneQueue(db, now);
    },

    async idle() {
      await Promise.all(closing.values());
    },
  };
}

/** Releases creates that an earlier run of the store's only gateway left unfinished. */
export async function releaseUnfinishedCreates({
  db,
  logger,
}: Pick<CreateContext, 'db' | 'logger'>): Promise<void> {
  const creates = await releaseStarting(db);
  if (creates > 0) logger.warn({ creates }, 'released creates that an earlier run did not finish');
}
