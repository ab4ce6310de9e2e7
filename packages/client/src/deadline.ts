import { ConnectionFailedError } from './errors.ts';
import type { CallOptions } from './options.ts';

/** How long a call may take: until the caller's signal or its time is up, whichever comes first. */
export class Deadline {
  readonly #caller: AbortSignal | undefined;
  readonly #timeoutMs: number;
  readonly #endsAt: number;
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;

  constructor({ signal, timeoutMs }: CallOptions & { timeoutMs: number }) {
    this.#caller = signal;
    this.#timeoutMs = timeoutMs;
    this.#endsAt = performance.now() + timeoutMs;
    const timeout = AbortSignal.timeout(timeoutMs);
    this.signal = signal ? AbortSignal.any([signal, timeout]) : timeout;
  }

  get leftMs(): number {
    return this.#endsAt - performance.now();
  }

  get isOver(): boolean {
    return this.signal.aborted;
  }

  /** Over because the caller said so, not because time ran out. */
  get wasCalledOff(): boolean {
    return this.#caller?.aborted === true;
  }

  /** What to throw when it is over. */
  reason(): unknown {
    if (this.#caller?.aborted) return this.#caller.reason;
    return new ConnectionFailedError(`no answer within ${this.#timeoutMs} ms`, { cause: this.signal.reason });
  }

  /** The outcome of `work`, or the deadline's reason if that comes first; the work itself goes on. */
  race<T>(work: Promise<T>): Promise<T> {
    work.catch(() => {}); // Nobody may be there any more to see it fail.
    if (this.isOver) return Promise.reject(this.reason());
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(this.reason());
      this.signal.addEventListener('abort', onAbort, { once: true });
      work.then(resolve, reject).finally(() => this.signal.removeEventListener('abort', onAbort));
    });
  }
}

/** A wait that a signal ends early, without a word. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
    if (signal?.aborted) done();
  });
}
