import { ApiError } from '../http/api-error.ts';

/** Limits how many run at once and how many wait. */
export class Semaphore {
  #free: number;
  readonly #maxWaiting: number;
  readonly #queue: (() => void)[] = [];

  constructor({ atOnce, waiting }: { atOnce: number; waiting: number }) {
    this.#free = atOnce;
    this.#maxWaiting = waiting;
  }

  /** Waits for a permit. Disposing of the result releases it. Refuses when too many wait. */
  async take(): Promise<Disposable> {
    if (this.#free > 0) this.#free -= 1;
    else if (this.#queue.length >= this.#maxWaiting) throw new ApiError('busy');
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
    return { [Symbol.dispose]: () => this.#release() };
  }

  #release(): void {
    const next = this.#queue.shift();
    if (next) next();
    else this.#free += 1;
  }
}
