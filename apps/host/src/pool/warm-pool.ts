import { setTimeout as delay } from 'node:timers/promises';
import type { HostError } from '@turnpike/contract/host';
import type { Logger } from 'pino';
import type { Browser } from '../chromium/browser.ts';
import type { BrowserStart } from '../chromium/browser-start.ts';
import { type Shape, shapeOf, shapes } from '../chromium/browser-start.ts';
import type { HostMetrics } from '../metrics/host-metrics.ts';
import { Demand, startKey } from './demand.ts';
import type { PreparedBrowser } from './prepared-browser.ts';
import { RefillPace } from './refill-pace.ts';
import { startInTime } from './start-in-time.ts';
import { StartQueue } from './start-queue.ts';

export interface WarmPoolOptions {
  /** How many are to wait; none: that shape always starts cold. */
  wanted: Readonly<Record<Shape, number>>;
  /** How many browsers the machine is to hold at once, those of sessions included. */
  places: number;
  maxAgeMs: number;
  /** How many start at the same time. */
  startsAtOnce: number;
  /** What most are asked to be. */
  usual(shape: Shape): BrowserStart;
  start(start: BrowserStart, signal: AbortSignal, archive?: Buffer): Promise<PreparedBrowser>;
  metrics: Pick<HostMetrics, 'refilled' | 'refillFailed' | 'startWaited'>;
}

/** A start for a session. */
export interface ColdStart {
  signal: AbortSignal;
  /** By `performance.now()`: when its browser has to be up. */
  deadline: number;
  /** Told at once when it is late. */
  giveUp(reason: HostError): void;
  archive?: Buffer | undefined;
}

/** When sessions want every place among the starts, a refill looks again after this. */
const busyMs = 100;

/** One that waits, kept for a session while its proxy is checked: until disposed of, or taken. */
export interface Claim extends Disposable {
  /** For what leaves no trace in it, until it is taken. */
  readonly browser: Browser;
  /** Whoever takes it owns it. Undefined: it went away in the meantime. */
  take(): PreparedBrowser | undefined;
}

interface Waiting {
  prepared: PreparedBrowser;
  claimed: boolean;
  /** Retires it when it is old. */
  ageing: NodeJS.Timeout;
}

/**
 * Browsers that are up before anyone asks. Each is given away once and never comes back. They wait in places
 * that no session has, and make way when a session needs one: so a host with n seats takes n sessions, whatever
 * waits.
 */
export class WarmPool {
  readonly #options: WarmPoolOptions;
  readonly #logger: Logger;
  readonly #pace = new RefillPace();
  readonly #queue: StartQueue;
  readonly #closing = new AbortController();
  /** The oldest first. */
  readonly #waiting: Waiting[] = [];
  readonly #leaving = new Set<Promise<void>>();
  readonly #demands = new Map<Shape, Demand>();
  /** Places of browsers that were given away or start for a session. */
  #outside = 0;
  #starting: AbortController | undefined;
  #filling: Promise<void> | undefined;
  #isOpen = false;

  constructor(options: WarmPoolOptions, logger: Logger) {
    this.#options = options;
    this.#logger = logger;
    this.#queue = new StartQueue({
      atOnce: options.startsAtOnce,
      onTurn: (waitedMs) => options.metrics.startWaited(waitedMs / 1000),
    });
  }

  /** From here on it fills itself. */
  open(): void {
    this.#isOpen = true;
    this.#refill();
  }

  /** Resolves when all that are wanted, and have a place, wait. */
  async warmed(): Promise<void> {
    while (this.#filling) await this.#filling;
  }

  claim(start: BrowserStart): Claim | undefined {
    this.#demand(shapeOf(start)).asked(start);
    const key = startKey(start);
    const waiting = this.#waiting.find(
      ({ prepared, claimed }) => !claimed && startKey(prepared.start) === key,
    );
    this.#retireUnwanted(shapeOf(start));
    if (!waiting) return undefined;
    waiting.claimed = true;
    return {
      browser: waiting.prepared.browser,
      take: () => (this.#waiting.includes(waiting) ? this.#give(waiting) : undefined),
      [Symbol.dispose]: () => {
        waiting.claimed = false;
      },
    };
  }

  /**
   * For a session that finds none waiting, or that begins with what another left: none that waits ever does. It takes
   * its turn, and is refused with NO_SEAT when that would be too late.
   */
  async startCold(start: BrowserStart, { archive, ...bounds }: ColdStart): Promise<PreparedBrowser> {
    this.#outside += 1;
    using _start = this.#pace.coldStart();
    this.#makeRoom();
    try {
      const wish = { ...bounds, shape: shapeOf(start) };
      const prepared = await startInTime(this.#queue, wish, (signal) =>
        this.#options.start(start, signal, archive),
      );
      this.#leavesPlaceAtEnd(prepared);
      return prepared;
    } catch (error) {
      this.#outside -= 1;
      this.#refill();
      throw error;
    }
  }

  /** How many wait. */
  counts(): Record<Shape, number> {
    const waiting = (shape: Shape) => this.#waiting.filter(({ prepared }) => prepared.shape === shape).length;
    return { headful: waiting('headful'), headless: waiting('headless') };
  }

  /** Starts that wait for their turn, and that go on. */
  starts(): { waiting: number; running: number } {
    return this.#queue.counts;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const waiting of [...this.#waiting]) this.#retire(waiting);
    await this.#filling;
    await Promise.all(this.#leaving);
  }

  #give(waiting: Waiting): PreparedBrowser {
    this.#remove(waiting);
    this.#pace.taken();
    this.#outside += 1;
    this.#leavesPlaceAtEnd(waiting.prepared);
    this.#refill();
    return waiting.prepared;
  }

  #leavesPlaceAtEnd({ ended }: PreparedBrowser): void {
    void ended.then(() => {
      this.#outside -= 1;
      this.#refill();
    });
  }

  #refill(): void {
    if (!this.#isOpen || this.#filling || this.#next() === undefined) return;
    this.#filling = this.#fill().finally(() => {
      this.#filling = undefined;
      this.#refill();
    });
  }

  /** One start at a time: a pool that fills must not be felt by those who use the machine. */
  async #fill(): Promise<void> {
    let wantedSince = performance.now();
    for (let start = this.#next(); start !== undefined; start = this.#next()) {
      const waitMs = this.#pace.waitMs(wantedSince);
      const turn = waitMs > 0 ? undefined : this.#queue.tryEnter(shapeOf(start));
      if (turn) {
        turn.end(await this.#startOne(start, wantedSince));
        wantedSince = performance.now();
      } else {
        await this.#pause(Math.max(waitMs, busyMs));
      }
    }
  }

  /** Of the shape that lacks most, if there is a place for it. */
  #next(): BrowserStart | undefined {
    if (this.#closing.signal.aborted || this.#waiting.length + this.#outside >= this.#options.places) return;
    const { wanted } = this.#options;
    const share = (shape: Shape) =>
      this.#waiting.filter(({ prepared }) => prepared.shape === shape).length / wanted[shape];
    const [shape] = shapes.filter((shape) => share(shape) < 1).sort((a, b) => share(a) - share(b));
    return shape && this.#missing(shape)[0];
  }

  #demand(shape: Shape): Demand {
    const demand = this.#demands.get(shape) ?? new Demand(this.#options.usual(shape));
    this.#demands.set(shape, demand);
    return demand;
  }

  /** What is to wait and does not. */
  #missing(shape: Shape): BrowserStart[] {
    const there = this.#waiting.map(({ prepared }) => startKey(prepared.start));
    return this.#demand(shape)
      .share(this.#options.wanted[shape])
      .filter((start) => {
        const index = there.indexOf(startKey(start));
        if (index !== -1) there.splice(index, 1);
        return index === -1;
      });
  }

  /** Where something else is asked for now, what waits for nobody makes way for it. */
  #retireUnwanted(shape: Shape): void {
    const wanted = this.#demand(shape).share(this.#options.wanted[shape]).map(startKey);
    for (const waiting of this.#waiting.filter(({ prepared }) => prepared.shape === shape)) {
      const index = wanted.indexOf(startKey(waiting.prepared.start));
      if (index !== -1) wanted.splice(index, 1);
      else if (!waiting.claimed) this.#retire(waiting);
    }
  }

  async #startOne(start: BrowserStart, wantedSince: number): Promise<'up' | 'failed'> {
    this.#starting = new AbortController();
    const signal = AbortSignal.any([this.#starting.signal, this.#closing.signal]);
    try {
      this.#keep(await this.#options.start(start, signal));
      this.#options.metrics.refilled(shapeOf(start), (performance.now() - wantedSince) / 1000);
      if (this.#pace.started().afterFailure) this.#logger.info('warm browsers start again');
      return 'up';
    } catch (error) {
      if (signal.aborted) return 'failed';
      this.#options.metrics.refillFailed();
      const { first } = this.#pace.failed();
      if (first) this.#logger.warn({ reason: (error as Error).message }, 'warm browsers do not start');
      return 'failed';
    } finally {
      this.#starting = undefined;
    }
  }

  #keep(prepared: PreparedBrowser): void {
    // Not all at the same time, though they were started together.
    const ageMs = this.#options.maxAgeMs * (0.8 + 0.4 * Math.random());
    const ageing = setTimeout(() => this.#retire(waiting), ageMs).unref();
    const waiting: Waiting = { prepared, claimed: false, ageing };
    this.#waiting.push(waiting);
    void prepared.browser.gone.then(() => {
      if (!this.#waiting.includes(waiting)) return;
      this.#logger.info({ shape: prepared.shape }, 'a warm browser went away');
      this.#options.metrics.refillFailed();
      this.#pace.died();
      this.#retire(waiting);
    });
    if (this.#closing.signal.aborted) this.#retire(waiting);
    this.#makeRoom();
  }

  /** Sessions come first. The place is theirs at once, though what had it takes a moment to go. */
  #makeRoom(): void {
    const room = Math.max(0, this.#options.places - this.#outside);
    const surplus = this.#waiting.length - room;
    if (surplus >= 0) this.#starting?.abort();
    // Never a claimed one: who claims it has a seat, and so there is room for it.
    const free = this.#waiting.filter(({ claimed }) => !claimed);
    for (const waiting of free.slice(0, Math.max(0, surplus))) this.#retire(waiting);
  }

  #retire(waiting: Waiting): void {
    this.#remove(waiting);
    const { prepared } = waiting;
    const leaving = prepared[Symbol.asyncDispose]()
      .catch((error: unknown) => this.#logger.error({ err: error }, 'a warm browser does not end'))
      .finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
    this.#refill();
  }

  #remove(waiting: Waiting): void {
    clearTimeout(waiting.ageing);
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
  }
}
