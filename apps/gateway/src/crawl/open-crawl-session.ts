import { noTracer } from '@turnpike/process/observation/trace';
import { claimOf } from '../creates/idempotency.ts';
import { openSession } from '../creates/open-session.ts';
import { parseCreateBody } from '../creates/parameters/create-params.ts';
import { ApiError } from '../http/api-error.ts';
import { allowPageCalls } from '../page/allow-page-calls.ts';
import type { AccountRow, SessionRow } from '../store/tables.ts';
import type { CrawlContext } from './crawl-context.ts';
import type { CrawlPlan } from './crawl-plan.ts';

/**
 * The Idempotency-Key of a runner's create. By it any gateway can close the session of a runner that is gone, whatever had
 * become of the create. No client can send one with spaces.
 */
export const keyOfRunner = (runnerId: string): string => `crawl runner ${runnerId}`;

/** Opens a session as any create does: with admission, limits and the bill. It is given up when the signal aborts. */
export async function openCrawlSession(
  context: CrawlContext,
  account: AccountRow,
  plan: CrawlPlan,
  runnerId: string,
  signal: AbortSignal,
): Promise<SessionRow> {
  allowPageCalls(context, account);
  const sent = parseCreateBody(plan.create, undefined, account.default_proxy);
  const claim = claimOf(account.id, keyOfRunner(runnerId), sent.params);
  const giveUp = new AbortController();
  const onAbort = () => giveUp.abort(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener('abort', onAbort, { once: true });
  const span = noTracer.begin('crawl', undefined);
  try {
    const parsed = { ...sent, ok: true as const, warnings: [], waitSeconds: 0, claim };
    const { session } = await openSession(context, { account, parsed, disconnected: giveUp.signal, span });
    return session;
  } finally {
    // From now on the runner closes it.
    signal.removeEventListener('abort', onAbort);
  }
}

/** What a refused create means for its crawl. */
export type Refusal =
  | { kind: 'wait'; waiting: string; ms: number; isFailure: boolean }
  /** It would be refused again. */
  | { kind: 'fail'; why: string };

/** Creates that fail one after the other for another reason than a limit, until the crawl fails. */
const maxFailures = 8;
const longMs = 60_000;
const shortMs = 5000;

/** Decides what a crawl does after a create was refused: it waits for limits, and for other failures a few times. */
export function readRefusal(error: unknown, failures: number): Refusal {
  const spec = error instanceof ApiError ? error.spec : undefined;
  const status = spec?.status ?? 503;
  const waiting = spec?.code ?? (status === 503 ? 'UNAVAILABLE' : 'CREATION_FAILED');
  if ([401, 402, 409, 429, 503].includes(status) || waiting === 'PAGE_CALLS_OFF') {
    // Each try counts in the account's window of creates, so they are few.
    const isShort = waiting === 'CAPACITY' || waiting === 'CONCURRENCY_LIMIT' || status === 409;
    return { kind: 'wait', waiting, ms: isShort ? 2 * shortMs : longMs, isFailure: false };
  }
  const why = error instanceof Error ? error.message : 'A session could not be opened.';
  if (status < 500 && status !== 422) return { kind: 'fail', why };
  if (failures + 1 >= maxFailures) return { kind: 'fail', why };
  return { kind: 'wait', waiting, ms: Math.min(5 * longMs, shortMs * 2 ** failures), isFailure: true };
}
