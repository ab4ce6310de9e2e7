import type { Context } from '../seams/context.ts';
import { isStoreOutage } from '../store/outage.ts';

/** Fewer than a connection pool has, so that requests are served meanwhile. */
const concurrency = 4;

/**
 * Runs `work` for each of many sessions. A session for which it fails is logged and counted, and does not affect the
 * others. An outage of the store fails all.
 */
export async function forEachSession<T extends { id: string }>(
  { logger, metrics }: Pick<Context, 'logger' | 'metrics'>,
  sessions: readonly T[],
  work: (session: T) => Promise<void>,
): Promise<void> {
  const remaining = sessions.values();
  const runWorker = async () => {
    for (const session of remaining) {
      try {
        await work(session);
      } catch (error) {
        if (isStoreOutage(error)) throw error;
        metrics.lease('session_failed');
        logger.error({ err: error, sessionId: session.id }, 'could not settle a session; will retry');
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runWorker));
}
