import type { Seats as SeatCount } from '@turnpike/contract/host';
import { abortable } from '../abortable.ts';

/** One's own; it may have to be cleared first. */
export interface Seat {
  clear(signal: AbortSignal): Promise<void>;
}

/**
 * How many sessions may open or run at once. A seat whose browser is on its way out is free to be taken, and who
 * takes it waits for the way to be clear.
 */
export class Seats {
  readonly #total: number;
  #used = 0;
  #clearing = 0;
  /** They are among the used. */
  readonly #waiting = new Set<() => void>();

  constructor(total: number) {
    this.#total = total;
  }

  get count(): SeatCount {
    return { total: this.#total, used: this.#used };
  }

  /** Undefined: every one is taken. */
  take(): Seat | undefined {
    if (this.#used === this.#total) return undefined;
    this.#used += 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    this.#callWaiting();
    return {
      clear: (signal) => abortable(promise, signal).finally(() => this.#waiting.delete(resolve)),
    };
  }

  /** At once, or as one that is on its way out until that has settled. */
  giveBack(cleared?: Promise<unknown>): void {
    this.#used -= 1;
    if (cleared) {
      this.#clearing += 1;
      void cleared.finally(() => {
        this.#clearing -= 1;
        this.#callWaiting();
      });
    }
    this.#callWaiting();
  }

  #callWaiting(): void {
    for (const seat of this.#waiting) {
      if (this.#used - this.#waiting.size + this.#clearing >= this.#total) return;
      this.#waiting.delete(seat);
      seat();
    }
  }
}
