import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type BrowserStart, shapeOf } from '../chromium/browser-start.ts';
import type { HostMetrics } from '../metrics/host-metrics.ts';
import type { PreparedBrowser } from './prepared-browser.ts';
import type { RefillPace } from './refill-pace.ts';
import type { StartOutcomes } from './start-outcomes.ts';
import type { StartQueue } from './start-queue.ts';

interface RefillParts {
  /** The next browser to start; undefined if none is wanted, or there is no place. */
  next(): BrowserStart | undefined;
  start(start: BrowserStart, signal: AbortSignal): Promise<PreparedBrowser>;
  /** Takes a browser that has started. */
  add(prepared: PreparedBrowser): void;
  queue: StartQueue;
  pace: RefillPace;
  outcomes: StartOutcomes;
  metrics: Pick<HostMetrics, 'refilled' | 'refillFailed'>;
  logger: Logger;
  /** Aborted when the pool closes. */
  closing: AbortSignal;
}

/** A refill tries again after this time when starts for sessions use all slots. */
const busyMs = 100;

/** Starts the browsers that a pool wants, one at a time, so that it does not slow sessions down. */
export class Refill {
  readonly #parts: RefillParts;
  /** Cancels the start that is under way. */
  #start: AbortController | undefined;
  #filling: Promise<void> | undefined;
  #isOpen = false;

  constructor(parts: RefillParts) {
    this.#parts = parts;
  }

  /** Resolves when no more browsers are wanted; undefined if none is. */
  get filling(): Promise<void> | undefined {
    return this.#filling;
  }

  open(): void {
    this.#isOpen = true;
    this.look();
  }

  /** Starts browsers if any are wanted now. */
  look(): void {
    if (!this.#isOpen || this.#filling || this.#parts.next() === undefined) return;
    this.#filling = this.#fill().finally(() => {
      this.#filling = undefined;
      this.look();
    });
  }

  cancelStart(): void {
    this.#start?.abort();
  }

  async #fill(): Promise<void> {
    const { next, pace, queue, closing } = this.#parts;
    let wantedSince = performance.now();
    for (let start = next(); start !== undefined; start = next()) {
      const waitMs = pace.waitMs(wantedSince);
      const slot = waitMs > 0 ? undefined : queue.tryAcquire(shapeOf(start));
      if (slot) {
        slot.release(await this.#startOne(start, wantedSince));
        wantedSince = performance.now();
      } else {
        const pauseMs = Math.max(waitMs, busyMs);
        await delay(pauseMs, undefined, { signal: closing, ref: false }).catch(() => {});
      }
    }
  }

  async #startOne(start: BrowserStart, wantedSince: number): Promise<'up' | 'failed'> {
    const { add, pace, outcomes, metrics, logger, closing } = this.#parts;
    this.#start = new AbortController();
    const signal = AbortSignal.any([this.#start.signal, closing]);
    try {
      add(await this.#parts.start(start, signal));
      outcomes.up();
      metrics.refilled(shapeOf(start), (performance.now() - wantedSince) / 1000);
      if (pace.started().afterFailure) logger.info('warm browsers start again');
      return 'up';
    } catch (error) {
      if (signal.aborted) return 'failed';
      metrics.refillFailed();
      outcomes.failed(error as Error);
      const { first } = pace.failed();
      if (first) logger.warn({ reason: (error as Error).message }, 'warm browsers do not start');
      return 'failed';
    } finally {
      this.#start = undefined;
    }
  }
}
