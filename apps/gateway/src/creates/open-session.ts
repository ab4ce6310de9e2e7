import type { Span } from '@turnpike/process/trace';
import { within } from '@turnpike/process/within';
import type { AccountRow } from '../store/tables.ts';
import { attemptCreate, type Create, type ParsedCreate } from './create-attempt.ts';
import type { CreateContext } from './create-context.ts';
import { errorWhileStopping, shuttingDown } from './create-errors.ts';
import type { CreateRequest } from './create-params.ts';
import { claimOf } from './idempotency.ts';
import { observeCreate } from './observe-create.ts';
import type { OpenedSession } from './opened-session.ts';
import { malformed } from './parse-parameter.ts';
import { releaseOrLog } from './start-session.ts';
import type { QueueEntry } from './wait-queue-store.ts';

/**
 * Opens a session for a create. `disconnected` aborts when the client goes away. A gateway that is stopping gives up
 * creates that would end with it, and tells their clients to retry.
 */
export function openSession(
  context: CreateContext,
  account: AccountRow,
  parse: () => CreateRequest,
  disconnected: AbortSignal,
  span: Span,
): Promise<OpenedSession> {
  return observeCreate(context, disconnected, async () => {
    if (context.stopping.creating.aborted) throw shuttingDown();
    try {
      return await attemptUntilOpen(
        context,
        account,
        parseCreate(context, account, parse),
        disconnected,
        span,
      );
    } catch (error) {
      throw errorWhileStopping(context.stopping, error);
    }
  });
}

/** Attempts a create until it is open, and waits in the queue between attempts for as long as it asked to. */
async function attemptUntilOpen(
  context: CreateContext,
  account: AccountRow,
  parsed: ParsedCreate,
  disconnected: AbortSignal,
  span: Span,
): Promise<OpenedSession> {
  const waitMs = parsed.ok ? parsed.waitSeconds * 1000 : 0;
  using waiting = waitMs > 0 ? within(waitMs, disconnected, context.stopping.waiting) : undefined;
  const repeatUntil = performance.now() + context.createTimeoutMs + waitMs;
  const create: Create = { account, parsed, disconnected, repeatUntil, span };
  let entry: QueueEntry | undefined;
  try {
    for (;;) {
      const mayWait = waiting !== undefined && !waiting.signal.aborted;
      const outcome = await attemptCreate(context, create, { entry, mayWait });
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

function parseCreate(
  { canRecord }: CreateContext,
  account: AccountRow,
  parse: () => CreateRequest,
): ParsedCreate {
  try {
    const { params, waitSeconds, idempotencyKey: key } = parse();
    if (!canRecord && params.browser.record)
      throw malformed('record', 'needs a place for recordings. The operator sets TURNPIKE_RECORDINGS_URL');
    const claim = key === undefined ? undefined : claimOf(account.id, key, params);
    return { ok: true, params, claim, waitSeconds };
  } catch (error) {
    return { ok: false, error };
  }
}
