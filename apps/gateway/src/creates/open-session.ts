import { within } from '@turnpike/process/within';
import { ApiError } from '../http/api-error.ts';
import { attemptCreate, type Create } from './create-attempt.ts';
import type { CreateContext } from './create-context.ts';
import { errorWhileStopping, shuttingDown } from './create-errors.ts';
import type { OpenedSession } from './reconnect-session.ts';
import { releaseOrLog } from './start-session.ts';
import type { QueueEntry } from './wait-queue-store.ts';

/**
 * Opens a session for a create, counts the create by its outcome and times it. A gateway that is stopping gives up
 * creates that would end with it, and tells their clients to retry.
 */
export async function openSession(context: CreateContext, create: Create): Promise<OpenedSession> {
  const { metrics, failures, stopping } = context;
  const { disconnected } = create;
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  try {
    if (stopping.creating.aborted) throw shuttingDown();
    const opened = await attemptUntilOpen(context, create);
    metrics.create(disconnected.aborted ? 'abandoned' : 'opened', '', seconds());
    return opened;
  } catch (failure) {
    const error = errorWhileStopping(stopping, failure);
    const spec = error instanceof ApiError ? error.spec : undefined;
    const status = spec?.status ?? 503; // An error without an answer in the contract is an outage of the store.
    const code = spec?.code ?? String(status);
    if (disconnected.aborted) metrics.create('abandoned', '', seconds());
    else {
      metrics.create(status < 500 ? 'refused' : 'failed', code, seconds());
      failures.count(code);
    }
    throw error;
  }
}

/** Attempts a create until it is open, and waits in the queue between attempts for as long as it asked to. */
async function attemptUntilOpen(context: CreateContext, create: Create): Promise<OpenedSession> {
  const { parsed, disconnected, span } = create;
  const waitMs = parsed.ok ? parsed.waitSeconds * 1000 : 0;
  using waiting = waitMs > 0 ? within(waitMs, disconnected, context.stopping.waiting) : undefined;
  const repeatUntil = performance.now() + context.createTimeoutMs + waitMs;
  let entry: QueueEntry | undefined;
  try {
    for (;;) {
      const mayWait = waiting !== undefined && !waiting.signal.aborted;
      const outcome = await attemptCreate(context, create, { entry, mayWait, repeatUntil });
      if (outcome.kind === 'opened') return outcome.opened;
      entry = outcome.entry;
      if (outcome.kind === 'retry') continue;
      const { entry: own, refusal, forSeat } = outcome;
      const wait = () => context.queue.wait(own, forSeat, waiting?.signal ?? disconnected);
      if (!mayWait || !(await span.step('wait', wait))) throw refusal;
    }
  } finally {
    if (entry && waitMs > 0) await releaseOrLog(context, 'waiting', context.queue.leave(entry));
  }
}
