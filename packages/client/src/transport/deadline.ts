import { ConnectionFailedError } from '../errors.ts';
import type { CallOptions } from '../options.ts';

/** The deadline of a call: the caller's signal or its timeout, whichever comes first. */
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

  /** The error to throw when it is over. */
  reason(): unknown {
    if (this.#caller?.aborted) return this.#caller.reason;
    return new ConnectionFailedError(`The gateway did not answer within ${this.#timeoutMs} ms.`, {
      cause: this.signal.reason,
    });
  }

  /** Settles as `work` does, or rejects at the deadline; the work itself goes on. */
  race<T>(work: Promise<T>): Promise<T> {
    work.catch(() => {}); // After the deadline nobody handles its failure.
    if (this.isOver) return Promise.reject(this.reason());
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(this.reason());
      this.signal.addEventListener('abort', onAbort, { once: true });
      work.then(resolve, reject).finally(() => this.signal.removeEventListener('abort', onAbort));
    });
  }
}

/** Waits; a signal ends the wait early, without an error. */
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
