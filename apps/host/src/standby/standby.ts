import type { StandbyReport } from '@turnpike/contract/host';
import type { Logger } from 'pino';
import type { Browser } from '../chromium/browser.ts';
import type { ControlGroup } from '../sandbox/control-groups/control-group.ts';
import type { Freezer } from '../sandbox/control-groups/freezer.ts';
import type { Reclaimer } from '../sandbox/control-groups/reclaimer.ts';
import type { BusyPages } from './busy-pages.ts';
import { nextStandbyState, type StandbyEvent, type StandbyState } from './standby-state.ts';
import type { WakeQueue } from './wake-queue.ts';

export interface StandbyOptions {
  /** It sleeps when it has not been used for this time. */
  afterMs: number;
  accountId: string;
  browser: Browser;
  group: ControlGroup;
  freezer: Freezer;
  pages: BusyPages;
  /** Grows with what clients and viewers do. */
  traffic(): number;
  /** Whether it must not sleep now, whatever happens: somebody watches it, or it is recorded. */
  isHeld(): boolean;
  /** Whether a file has been downloaded to within this time. */
  hasDownload(withinMs: number): Promise<boolean>;
  wakes: WakeQueue;
  reclaimer: Reclaimer;
  logger: Logger;
}

const maxLookMs = 1000;
const looks = 10;
/** Processes that wait for a disk do not stop at once. */
const freezeMs = 2000;
/** A command without an answer, or a page that loads, holds a session awake for this long at most. */
const maxWaitMs = 120_000;
/** How long a browser that has been woken keeps its place in the queue, if it does not answer. */
const answerMs = 2000;

/** Puts a session's browser to sleep when nobody uses it, and wakes it when somebody does. */
export class Standby {
  readonly #options: StandbyOptions;
  readonly #over = new AbortController();
  #state: StandbyState = 'awake';
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  /** The host itself asks the browser whether it is busy. */
  #isAsking = false;
  #uses = 0;
  #lastTraffic = 0;
  /** By `performance.now()`. */
  #idleSince = performance.now();
  #asleepSince = 0;
  #totalMs = 0;
  #reclaiming = new AbortController();
  #waking: Promise<void> | undefined;

  constructor(options: StandbyOptions) {
    this.#options = options;
    options.browser.pipe.watchForStandby(() => this.use());
  }

  run(): void {
    const everyMs = Math.min(maxLookMs, this.#options.afterMs / looks);
    this.#timer = setInterval(() => void this.#look(), everyMs);
  }

  /** Somebody uses the session, or is about to. */
  use(): void {
    if (this.#isAsking) return;
    this.#idleSince = performance.now();
    if (this.#state === 'settling') this.#enter('use');
    if (this.#state === 'asleep') void this.wake().catch(() => {}); // It has ended.
  }

  /** Keeps the session awake until it is disposed. */
  hold(): Disposable {
    this.#uses += 1;
    this.use();
    return {
      [Symbol.dispose]: () => {
        this.#uses -= 1;
      },
    };
  }

  /** Resolves when it is awake. Rejects when the signal aborts, or the session ends. */
  async wake(signal?: AbortSignal): Promise<void> {
    if (this.#state === 'settling') this.#enter('use');
    if (this.#state === 'asleep') {
      this.#enter('use');
      this.#waking = this.#wake().finally(() => (this.#waking = undefined));
      this.#waking.catch(() => {});
    }
    const waking = this.#waking;
    if (!waking) return;
    if (!signal) return await waking;
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    await Promise.race([waking, aborted.promise]).finally(() => signal.removeEventListener('abort', abort));
  }

  get isAsleep(): boolean {
    return this.#state === 'asleep' || this.#state === 'waking';
  }

  report(now = performance.now()): StandbyReport {
    const asleepMs = this.isAsleep ? now - this.#asleepSince : 0;
    return {
      totalMs: Math.round(this.#totalMs + asleepMs),
      ...(this.isAsleep && { asleepForMs: Math.round(asleepMs) }),
    };
  }

  /** Ends it with the session, whose processes are killed. */
  end(): void {
    clearInterval(this.#timer);
    if (this.isAsleep) this.#totalMs += performance.now() - this.#asleepSince;
    this.#enter('end');
    this.#reclaiming.abort();
    this.#over.abort(new Error('The session has ended'));
  }

  /** Polls what counts as use, so that it costs nothing while it happens. */
  async #look(): Promise<void> {
    const { afterMs, traffic, isHeld } = this.#options;
    if (this.#state !== 'awake' || this.#isLooking) return;
    const count = traffic();
    if (count !== this.#lastTraffic || this.#uses > 0 || isHeld()) this.#idleSince = performance.now();
    this.#lastTraffic = count;
    if (performance.now() - this.#idleSince < afterMs) return;
    this.#isLooking = true;
    try {
      const isBusy = await this.#isBusy();
      const isUnused = performance.now() - this.#idleSince >= afterMs;
      if (!isBusy && isUnused) await this.#settle(count);
    } finally {
      this.#isLooking = false;
    }
  }

  /** Whether the browser is at work for somebody who says nothing. */
  async #isBusy(): Promise<boolean> {
    const { browser, hasDownload, afterMs } = this.#options;
    if (await hasDownload(afterMs + maxLookMs)) return true;
    if (performance.now() - this.#idleSince > afterMs + maxWaitMs) return false;
    return browser.pipe.unanswered > 0 || (await this.#isLoading());
  }

  #isLoading(): Promise<boolean> {
    this.#isAsking = true;
    try {
      return this.#options.pages.isLoading(); // Asks at once.
    } finally {
      this.#isAsking = false;
    }
  }

  async #settle(trafficBefore: number): Promise<void> {
    const { browser, freezer, traffic } = this.#options;
    if (!this.#enter('settle')) return;
    // From now on the switchboard says when a client sends anything. What came before has been counted.
    await browser.pipe.standby(true);
    if (this.#state === 'settling' && traffic() !== trafficBefore) this.use();
    const isFrozen = this.#state === 'settling' && (await freezer.freeze(freezeMs));
    if (isFrozen && this.#enter('stopped')) this.#sleep();
    else {
      this.#enter('stay');
      freezer.thaw();
      await browser.pipe.standby(false);
      this.#idleSince = performance.now();
    }
  }

  #sleep(): void {
    const { group, reclaimer, logger } = this.#options;
    this.#asleepSince = performance.now();
    this.#reclaiming = new AbortController();
    const { memory } = group;
    const before = memory?.read();
    logger.debug('asleep');
    if (!memory) return;
    void reclaimer.reclaim(memory, this.#reclaiming.signal).then(() => {
      if (before?.residentBytes) logger.debug({ before, after: memory.read() }, 'reclaimed');
    });
  }

  async #wake(): Promise<void> {
    const { accountId, browser, freezer, group, wakes, logger } = this.#options;
    this.#reclaiming.abort();
    const signal = this.#over.signal;
    const swappedBytes = () => group.memory?.read().swappedBytes ?? 0;
    const slot = await wakes.acquire({ accountId, swappedBytes, signal });
    if (this.#state !== 'waking') return slot[Symbol.dispose]();
    freezer.thaw();
    const sleptMs = performance.now() - this.#asleepSince;
    this.#totalMs += sleptMs;
    this.#idleSince = performance.now();
    this.#enter('woke');
    logger.debug({ sleptMs: Math.round(sleptMs) }, 'woke');
    void browser.pipe.standby(false);
    // Its pages come back from swap now.
    browser.controller
      .call('Browser.getVersion', {}, { timeoutMs: answerMs, signal })
      .catch(() => {})
      .finally(() => slot[Symbol.dispose]());
  }

  /** Returns whether the event has changed the state. */
  #enter(event: StandbyEvent): boolean {
    const next = nextStandbyState(this.#state, event);
    if (next) this.#state = next;
    return next !== undefined;
  }
}
