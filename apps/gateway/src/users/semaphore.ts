import { ApiError } from '../http/api-error.ts';

/** So many at once, so many in line, and no more. */
export class Semaphore {
  #free: number;
  readonly #maxWaiting: number;
  readonly #line: (() => void)[] = [];

  constructor({ atOnce, waiting }: { atOnce: number; waiting: number }) {
    this.#free = atOnce;
    this.#maxWaiting = waiting;
  }

  /** Given back by its disposal. */
  async take(): Promise<Disposable> {
    if (this.#free > 0) this.#free -= 1;
    else if (this.#line.length >= this.#maxWaiting) throw new ApiError('busy');
    else await new Promise<void>((resolve) => this.#line.push(resolve));
    return { [Symbol.dispose]: () => this.#giveBack() };
  }

  #giveBack(): void {
    const next = this.#line.shift();
    if (next) next();
    else this.#free += 1;
  }
}
