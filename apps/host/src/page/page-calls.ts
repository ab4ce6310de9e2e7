import type { PageAnswer, PageCall } from '@turnpike/contract/page/page-call';
import { abortable } from '@turnpike/process/abortable';
import { within } from '@turnpike/process/within';
import { errorOfRefusal } from './load/load-errors.ts';
import { PageError, pageErrorOf } from './page-error.ts';
import type { PageThread } from './page-thread.ts';

/** Calls that a host has at once, and those that one session may have: one that runs, the others wait for it. */
const maxCalls = 64;
const maxSessionCalls = 4;

/** How much later than the thread the main thread gives up. */
const graceMs = 5000;

/** What a page call needs to know of its session. */
export interface CalledSession {
  readonly cdpId: string;
  /** Finds the page that a call is about. Rejects with a `PageError` if there is none. */
  choosePage(call: PageCall): Promise<string>;
  /** The rule of the session that has refused connections to this host; undefined if none has. */
  refusalOf(host: string): string | undefined;
}

/** Counts and orders the page calls of a host. Those of one session are served one after the other. */
export class PageCalls {
  readonly #thread: Pick<PageThread, 'call'>;
  readonly #bySession = new Map<string, { count: number; last: Promise<unknown> }>();
  #count = 0;

  constructor(thread: Pick<PageThread, 'call'>) {
    this.#thread = thread;
  }

  /** Rejects only if the signal aborts. */
  async call(session: CalledSession, call: PageCall, signal: AbortSignal): Promise<PageAnswer> {
    const { cdpId } = session;
    const calls = this.#bySession.get(cdpId) ?? { count: 0, last: Promise.resolve() };
    if (this.#count >= maxCalls) return refusal(`This host has ${maxCalls} page calls. Try again later.`);
    if (calls.count >= maxSessionCalls)
      return refusal(`This session has ${maxSessionCalls} page calls. Wait for one of them to end.`);
    this.#bySession.set(cdpId, calls);
    this.#count += 1;
    calls.count += 1;
    const before = calls.last;
    const answered = this.#inTurn(before, session, call, signal);
    calls.last = Promise.allSettled([before, answered]);
    try {
      return await answered;
    } finally {
      this.#count -= 1;
      calls.count -= 1;
      if (calls.count === 0) this.#bySession.delete(cdpId);
    }
  }

  async #inTurn(
    before: Promise<unknown>,
    session: CalledSession,
    call: PageCall,
    signal: AbortSignal,
  ): Promise<PageAnswer> {
    const startedAt = performance.now();
    using bounds = within(call.timeoutMs + graceMs, signal);
    try {
      await abortable(before, bounds.signal);
      const timeoutMs = call.timeoutMs - (performance.now() - startedAt);
      if (timeoutMs <= 0) throw late(call);
      const targetId = await abortable(session.choosePage(call), bounds.signal);
      const { cdpId } = session;
      const answer = await this.#thread.call(
        { call: { ...call, timeoutMs }, cdpId, targetId },
        bounds.signal,
      );
      bounds.signal.throwIfAborted();
      return withRefusal(session, answer);
    } catch (error) {
      signal.throwIfAborted();
      return { report: emptyReport(), error: pageErrorOf(bounds.isLate ? late(call) : error) };
    }
  }
}

/** The browser hears of a refused tunnel that it failed, and no more. The session's ledger knows why. */
function withRefusal(session: CalledSession, answer: PageAnswer): PageAnswer {
  if (!('error' in answer) || answer.error.code !== 'PAGE_PROXY') return answer;
  const reason = session.refusalOf(URL.parse(answer.report.url)?.hostname ?? '');
  return reason === undefined ? answer : { ...answer, error: pageErrorOf(errorOfRefusal(reason)) };
}

/** It waited for the session's other calls, or the host is very busy. */
const late = ({ timeoutMs }: PageCall) =>
  new PageError('PAGE_TIMEOUT', `The call took longer than ${Math.round(timeoutMs)} ms. Try again later.`);

const emptyReport = () => ({
  url: '',
  timings: { total: 0 },
  consoleErrors: [],
  failedRequests: [],
  warnings: [],
});

const refusal = (message: string): PageAnswer => ({
  report: emptyReport(),
  error: { code: 'PAGE_FAILED', message },
});
