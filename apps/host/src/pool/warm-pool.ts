import type { HostError } from '@turnpike/contract/host';
import type { Logger } from 'pino';
import type { Browser } from '../chromium/browser.ts';
import { type BrowserStart, type Shape, shapeOf, shapes } from '../chromium/browser-start.ts';
import type { HostMetrics } from '../metrics/host-metrics.ts';
import { Demand, startKey } from './demand.ts';
import type { OwnParts, PreparedBrowser } from './prepared-browser.ts';
import { Refill } from './refill.ts';
import { RefillPace } from './refill-pace.ts';
import { startInTime } from './start-in-time.ts';
import { StartOutcomes } from './start-outcomes.ts';
import { StartQueue } from './start-queue.ts';

export interface WarmPoolOptions {
  /** How many browsers to keep warm. With none, sessions of that shape always start cold. */
  wanted: Readonly<Record<Shape, number>>;
  /** How many browsers may exist at once, those of sessions included. */
  places: number;
  maxAgeMs: number;
  /** How many browsers start at the same time. */
  startsAtOnce: number;
  /** The start options of most sessions. */
  usual(shape: Shape): BrowserStart;
  start(start: BrowserStart, signal: AbortSignal, own?: OwnParts): Promise<PreparedBrowser>;
  metrics: Pick<HostMetrics, 'refilled' | 'refillFailed' | 'startWaited'>;
}

/** Limits of a start for a session. */
export interface ColdStart {
  /** Whose session it is for. Empty: unknown. */
  accountId: string;
  signal: AbortSignal;
  /** When the browser has to be up, by `performance.now()`. */
  deadline: number;
  /** Called as soon as the start is late. */
  giveUp(reason: HostError): void;
  own?: OwnParts | undefined;
}

/** A warm browser that is reserved for a session while its proxy is checked, until it is taken or disposed of. */
export interface Claim extends Disposable {
  /** Until it is taken, only for changes that leave no trace. */
  readonly browser: Browser;
  /** The caller owns the browser from now on. Returns undefined if it crashed meanwhile. */
  take(): PreparedBrowser | undefined;
}

interface WarmBrowser {
  prepared: PreparedBrowser;
  claimed: boolean;
  /** Replaces it when it is old. */
  ageTimer: NodeJS.Timeout;
}

/**
 * Browsers that are started ahead of sessions. Each is used by one session and never comes back. They exist only in
 * places that no session needs: a host with n seats takes n sessions, however many browsers are warm.
 */
export class WarmPool {
  readonly #options: WarmPoolOptions;
  readonly #logger: Logger;
  readonly #pace = new RefillPace();
  readonly #queue: StartQueue;
  readonly #outcomes = new StartOutcomes();
  readonly #refill: Refill;
  readonly #closing = new AbortController();
  /** The oldest first. */
  readonly #warm: WarmBrowser[] = [];
  /** Warm browsers that are being ended. */
  readonly #ending = new Set<Promise<void>>();
  readonly #demands = new Map<Shape, Demand>();
  /** Browsers of sessions, until nothing is left of them. */
  readonly #inSessions = new Set<PreparedBrowser>();
  /** Browsers that start for sessions. */
  #coldStarts = 0;

  constructor(options: WarmPoolOptions, logger: Logger) {
    this.#options = options;
    this.#logger = logger;
    this.#queue = new StartQueue({
      atOnce: options.startsAtOnce,
      onAcquired: (waitedMs) => options.metrics.startWaited(waitedMs / 1000),
    });
    this.#refill = new Refill({
      next: () => this.#next(),
      start: (start, signal) => options.start(start, signal),
      add: (prepared) => this.#add(prepared),
      queue: this.#queue,
      pace: this.#pace,
      outcomes: this.#outcomes,
      metrics: options.metrics,
      logger,
      closing: this.#closing.signal,
    });
  }

  /** Begins to fill the pool. */
  open(): void {
    this.#refill.open();
  }

  /** Resolves when the pool is as full as sessions allow. Waits for browsers of ended sessions, whose places it gets. */
  async warmed(): Promise<void> {
    for (;;) {
      const ending = [...this.#inSessions].filter(({ isEnding }) => isEnding);
      if (this.#refill.filling) await this.#refill.filling;
      else if (ending.length > 0) await Promise.all(ending.map(({ ended }) => ended));
      else return;
    }
  }

  /** Resolves when a browser has started; rejects with the reason if the next start fails. */
  async probe(): Promise<void> {
    if (this.#warm.length > 0) return;
    const outcome = this.#outcomes.next();
    const keepsWarm = shapes.some((shape) => this.#options.wanted[shape] > 0);
    if (!keepsWarm) void this.#tryOne(this.#options.usual('headful'));
    await outcome;
  }

  /** Starts a browser that nobody uses. Without a slot, sessions start theirs, which tells the same. */
  async #tryOne(start: BrowserStart): Promise<void> {
    const slot = this.#queue.tryAcquire(shapeOf(start));
    if (!slot) return;
    try {
      const prepared = await this.#options.start(start, this.#closing.signal);
      slot.release('up');
      await prepared[Symbol.asyncDispose]();
      this.#outcomes.up();
    } catch (error) {
      slot.release('failed');
      this.#outcomes.failed(error as Error);
    }
  }

  claim(start: BrowserStart): Claim | undefined {
    this.#demand(shapeOf(start)).asked(start);
    const key = startKey(start);
    const warm = this.#warm.find(({ prepared, claimed }) => !claimed && startKey(prepared.start) === key);
    this.#endUnwanted(shapeOf(start));
    if (!warm) return undefined;
    warm.claimed = true;
    return {
      browser: warm.prepared.browser,
      take: () => (this.#warm.includes(warm) ? this.#take(warm) : undefined),
      [Symbol.dispose]: () => {
        warm.claimed = false;
      },
    };
  }

  /**
   * Starts a browser for a session that found no warm one, or that has what warm browsers do not have. Waits
   * for a start slot, and rejects with NO_SEAT when that would be too late.
   */
  async startCold(start: BrowserStart, { own, ...bounds }: ColdStart): Promise<PreparedBrowser> {
    this.#coldStarts += 1;
    using _start = this.#pace.coldStart();
    this.#makeRoom();
    try {
      const request = { ...bounds, shape: shapeOf(start) };
      const prepared = await startInTime(this.#queue, request, (signal) =>
        this.#options.start(start, signal, own),
      );
      this.#addToSessions(prepared);
      return prepared;
    } finally {
      this.#coldStarts -= 1;
      this.#refill.look();
    }
  }

  /** Keeps refills from slowing a page call down, until this is disposed of. */
  pageCall(): Disposable {
    return this.#pace.pageCall();
  }

  /** How many browsers are warm. */
  counts(): Record<Shape, number> {
    return { headful: this.#warmOf('headful').length, headless: this.#warmOf('headless').length };
  }

  /** Starts that wait for a slot, and that run. */
  starts(): { waiting: number; running: number } {
    return this.#queue.counts;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#outcomes.failed(new Error('The host stops.'));
    for (const warm of [...this.#warm]) this.#end(warm);
    await this.#refill.filling;
    await Promise.all(this.#ending);
  }

  #take(warm: WarmBrowser): PreparedBrowser {
    this.#remove(warm);
    this.#pace.taken();
    this.#addToSessions(warm.prepared);
    this.#refill.look();
    return warm.prepared;
  }

  #addToSessions(prepared: PreparedBrowser): void {
    this.#inSessions.add(prepared);
    this.#outcomes.up();
    void prepared.ended.then(() => {
      this.#inSessions.delete(prepared);
      this.#refill.look();
    });
  }

  /** Places that are left for warm browsers. */
  get #room(): number {
    return Math.max(0, this.#options.places - this.#inSessions.size - this.#coldStarts);
  }

  #warmOf(shape: Shape): WarmBrowser[] {
    return this.#warm.filter(({ prepared }) => prepared.shape === shape);
  }

  /** The next browser to start, of the shape that lacks most; undefined if none is wanted, or there is no place. */
  #next(): BrowserStart | undefined {
    if (this.#closing.signal.aborted || this.#warm.length >= this.#room) return undefined;
    const { wanted } = this.#options;
    const share = (shape: Shape) => this.#warmOf(shape).length / wanted[shape];
    const [shape] = shapes.filter((shape) => share(shape) < 1).sort((a, b) => share(a) - share(b));
    return shape && this.#missing(shape)[0];
  }

  #demand(shape: Shape): Demand {
    const demand = this.#demands.get(shape) ?? new Demand(this.#options.usual(shape));
    this.#demands.set(shape, demand);
    return demand;
  }

  /** Wanted browsers that are not warm. */
  #missing(shape: Shape): BrowserStart[] {
    const there = this.#warm.map(({ prepared }) => startKey(prepared.start));
    return this.#demand(shape)
      .share(this.#options.wanted[shape])
      .filter((start) => {
        const index = there.indexOf(startKey(start));
        if (index !== -1) there.splice(index, 1);
        return index === -1;
      });
  }

  /** Ends browsers whose start options are no longer asked for, to make room for others. */
  #endUnwanted(shape: Shape): void {
    const wanted = this.#demand(shape).share(this.#options.wanted[shape]).map(startKey);
    for (const warm of this.#warmOf(shape)) {
      const index = wanted.indexOf(startKey(warm.prepared.start));
      if (index !== -1) wanted.splice(index, 1);
      else if (!warm.claimed) this.#end(warm);
    }
  }

  #add(prepared: PreparedBrowser): void {
    // Spreads replacements: browsers that were started together are not all replaced at once.
    const ageMs = this.#options.maxAgeMs * (0.8 + 0.4 * Math.random());
    const ageTimer = setTimeout(() => this.#end(warm), ageMs).unref();
    const warm: WarmBrowser = { prepared, claimed: false, ageTimer };
    this.#warm.push(warm);
    void prepared.browser.gone.then(() => {
      if (!this.#warm.includes(warm)) return;
      this.#logger.info({ shape: prepared.shape }, 'a warm browser went away');
      this.#options.metrics.refillFailed();
      this.#pace.died();
      this.#end(warm);
    });
    if (this.#closing.signal.aborted) this.#end(warm);
    this.#makeRoom();
  }

  /** Ends warm browsers whose places sessions need. A session does not wait until they are gone. */
  #makeRoom(): void {
    const surplus = this.#warm.length - this.#room;
    if (surplus >= 0) this.#refill.cancelStart();
    // A claimed browser stays: the session that claimed it has a seat, so there is room for it.
    const free = this.#warm.filter(({ claimed }) => !claimed);
    for (const warm of free.slice(0, Math.max(0, surplus))) this.#end(warm);
  }

  #end(warm: WarmBrowser): void {
    this.#remove(warm);
    const ending = warm.prepared[Symbol.asyncDispose]()
      .catch((error: unknown) => this.#logger.error({ err: error }, 'a warm browser could not be ended'))
      .finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    this.#refill.look();
  }

  #remove(warm: WarmBrowser): void {
    clearTimeout(warm.ageTimer);
    this.#warm.splice(this.#warm.indexOf(warm), 1);
  }
}
