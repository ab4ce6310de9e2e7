import { randomBytes } from 'node:crypto';
import { Poll } from '@turnpike/process/poll';
import { closeByKey } from '../creates/close-by-key.ts';
import type { CrawlRunnerRow } from '../store/tables/crawl-tables.ts';
import type { CrawlContext } from './crawl-context.ts';
import { lost, maxLosses, type Runner, runCrawl } from './crawl-runner.ts';
import {
  type Candidate,
  deleteSomeRows,
  endCrawl,
  expiredCrawls,
  listCandidates,
  overdueCrawls,
  postponeCrawl,
} from './crawl-store.ts';
import { keyOfRunner } from './open-crawl-session.ts';
import { finishPage, pageOfRunner, releasePage } from './page-result-store.ts';
import { addRunner, deleteRunner, endedRunners, lapsedRunners, takeOverRunner } from './runner-store.ts';

const pollMs = 1000;
/** How often rows that have expired are looked for. */
const sweepMs = 10_000;
const noSlotMs = 5000;

/** Works on crawls, as other gateways do. The store decides who does what. */
export class CrawlWorkers implements AsyncDisposable {
  /** Identifies this run of this gateway. */
  readonly gatewayId = randomBytes(8).toString('hex');
  readonly #context: CrawlContext;
  readonly #poll: Poll;
  readonly #running = new Map<string, { runner: Runner; done: Promise<void> }>();
  #lastAccount = '';
  #sweptAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(context: CrawlContext) {
    this.#context = context;
    this.#poll = new Poll(
      pollMs,
      () => this.#step(),
      (error) => context.logger.warn({ err: error }, 'could not look for crawls; will retry'),
    );
  }

  /** Looks for work now. */
  wake(): void {
    this.#poll.now();
  }

  /** Gives back all pages and closes the sessions. Others go on with the crawls. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    const stopped = this.#poll[Symbol.asyncDispose]();
    this.#stopRunners(() => true);
    await stopped;
    // One may have been started by the step that was under way.
    this.#stopRunners(() => true);
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  #stopRunners(which: (id: string) => boolean): void {
    for (const [id, { runner }] of this.#running)
      if (which(id)) runner.stop.abort(new Error('It is stopped'));
  }

  async #step(): Promise<void> {
    const { db, now } = this.#context;
    for (const runner of await lapsedRunners(db, now())) await this.#cleanUpAfter(runner);
    if (this.#running.size > 0) {
      const ended = new Set(await endedRunners(db, this.gatewayId));
      this.#stopRunners((id) => ended.has(id));
    }
    if (performance.now() - this.#sweptAt > sweepMs) await this.#sweep();
    await this.#startRunners();
  }

  async #startRunners(): Promise<void> {
    const { db, now, crawlLimits, pageCalls, stopping } = this.#context;
    // Other gateways may go on with them.
    if (!pageCalls || stopping.creating.aborted || this.#running.size >= crawlLimits.sessions) return;
    for (const { id: crawlId, account_id: accountId } of this.#inTurn(await listCandidates(db, now()))) {
      if (this.#isStopped || this.#running.size >= crawlLimits.sessions) return;
      const id = randomBytes(12).toString('hex');
      const { gatewayId: gateway } = this;
      const { accountSessions } = crawlLimits;
      const added = await addRunner(this.#context, { id, crawlId, gateway, now: now(), accountSessions });
      if (added === 'no-slot')
        await postponeCrawl(db, crawlId, {
          until: now() + noSlotMs,
          waiting: 'CONCURRENCY_LIMIT',
          isFailure: false,
        });
      else if (added) {
        this.#start({ id, crawl: added, gateway, stop: new AbortController() });
        this.#lastAccount = accountId;
      }
    }
  }

  /** Accounts take turns: first come those after the one that had a session last. */
  #inTurn(candidates: readonly Candidate[]): Candidate[] {
    const isLater = ({ account_id }: Candidate) => account_id > this.#lastAccount;
    return candidates.toSorted((a, b) => a.place - b.place || Number(isLater(b)) - Number(isLater(a)));
  }

  #start(runner: Runner): void {
    const { logger } = this.#context;
    const done = runCrawl(this.#context, runner)
      .catch((error: unknown) => {
        logger.warn(
          { err: error, crawlId: runner.crawl.id },
          'could not end a session of a crawl; will retry',
        );
      })
      .finally(() => {
        this.#running.delete(runner.id);
        if (!this.#isStopped) this.#poll.now();
      });
    this.#running.set(runner.id, { runner, done });
  }

  /** Gives back the page of a runner whose gateway is gone, and closes its session. Safe to repeat. */
  async #cleanUpAfter(runner: CrawlRunnerRow): Promise<void> {
    const { db, now, logger } = this.#context;
    const { id, crawl_id: crawlId, account_id: accountId } = runner;
    if (!(await takeOverRunner(db, runner, `${this.gatewayId} cleans up`, now()))) return;
    const page = await pageOfRunner(db, crawlId, id);
    if (page && page.attempts >= maxLosses) await finishPage(this.#context, page, lost(), now());
    else if (page) await releasePage(db, page, { counts: true });
    try {
      await closeByKey(this.#context, accountId, keyOfRunner(id));
    } catch (error) {
      logger.warn(
        { err: error, crawlId },
        "could not close the session of a crawl's lost runner; will retry",
      );
      return;
    }
    await deleteRunner(db, id);
    logger.info({ crawlId, runner: id }, 'cleaned up after a runner of a crawl whose gateway is gone');
  }

  /** Ends crawls that take too long, and deletes those that have expired. Runs on any number of gateways at once. */
  async #sweep(): Promise<void> {
    const { db, now, outbox, crawlLimits } = this.#context;
    this.#sweptAt = performance.now();
    const { keepMs } = crawlLimits;
    const why = `It took longer than ${Math.round(keepMs / 86_400_000)} days.`;
    for (const id of await overdueCrawls(db, now() - keepMs))
      await db
        .transaction()
        .execute((trx) => endCrawl(trx, outbox, id, { state: 'failed', why, now: now(), keepMs }));
    for (const id of await expiredCrawls(db, now())) {
      // The rest is left to the next sweep if this gateway stops.
      while (!this.#isStopped && !(await deleteSomeRows(db, id))) await new Promise(setImmediate);
    }
  }
}
