import type { Seats as SeatCount } from '@turnpike/contract/host';
import { abortable } from '@turnpike/process/abortable';

/** A place for one session. */
export interface Seat {
  /** Resolves when the browser that had the seat before is gone. */
  ready(signal: AbortSignal): Promise<void>;
}

/**
 * A semaphore for sessions that start or run. A seat whose browser is ending can be taken already, and its new owner
 * waits for that browser to be gone.
 */
export class Seats {
  readonly #total: number;
  #used = 0;
  #ending = 0;
  /** Seats that were taken and are not ready. They count as used. */
  readonly #waiting = new Set<() => void>();

  constructor(total: number) {
    this.#total = total;
  }

  get count(): SeatCount {
    return { total: this.#total, used: this.#used };
  }

  /** Returns undefined if all are taken. */
  take(): Seat | undefined {
    if (this.#used === this.#total) return undefined;
    this.#used += 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    this.#admitWaiting();
    return {
      ready: (signal) => abortable(promise, signal).finally(() => this.#waiting.delete(resolve)),
    };
  }

  /** Releases a seat; with a promise, one whose browser is ending until that settles. */
  release(ended?: Promise<unknown>): void {
    this.#used -= 1;
    if (ended) {
      this.#ending += 1;
      void ended.finally(() => {
        this.#ending -= 1;
        this.#admitWaiting();
      });
    }
    this.#admitWaiting();
  }

  #admitWaiting(): void {
    for (const admit of this.#waiting) {
      if (this.#used - this.#waiting.size + this.#ending >= this.#total) return;
      this.#waiting.delete(admit);
      admit();
    }
  }
}
