import { TurnpikeError } from './errors.ts';
import { mayHaveOpened } from './may-have-opened.ts';
import { type Answer, errorOf } from './transport/answer-error.ts';
import { type Deadline, pause } from './transport/deadline.ts';
import { backOff, withRetries } from './transport/retries.ts';
import type { Request, Transport } from './transport/transport.ts';

/** How long to try to close what a create may have opened, once its caller has no answer. */
const settleMs = 30_000;
/** Timeout of each try. */
const settleTryMs = 10_000;

export interface OpeningOptions<T> {
  request: Request;
  idempotencyKey: string;
  /** Reads a 200; throws a ConnectionFailedError if the answer is not one of the service. */
  read(answer: Answer): T;
  /** Closes what the key has opened or would open. */
  closeByKey(timeoutMs: number): Promise<void>;
}

/**
 * One create. It carries an Idempotency-Key, so that its retries are one session, whatever is lost on the way. If the
 * caller gets no answer but there may be a session, the session is closed by that key.
 */
export class Opening<T> {
  readonly #transport: Transport;
  readonly #options: OpeningOptions<T>;
  readonly #request: Request;
  readonly #connection = new AbortController();
  /** There may be a session that the caller does not know of. */
  #uncertain = false;
  /** Resolves when nothing is left to close. */
  settled: Promise<void> = Promise.resolve();

  constructor(transport: Transport, options: OpeningOptions<T>) {
    this.#transport = transport;
    this.#options = options;
    this.#request = { ...options.request, headers: { 'idempotency-key': options.idempotencyKey } };
  }

  async open(deadline: Deadline, retries: number): Promise<T> {
    if (deadline.isOver) throw deadline.reason();
    try {
      return await withRetries(() => this.#attempt(deadline), { purpose: 'create', retries, deadline });
    } catch (error) {
      if (this.#uncertain) this.settled = this.#settle();
      throw error;
    }
  }

  async #attempt(deadline: Deadline): Promise<T> {
    try {
      const exchange = this.#transport.exchange(this.#request, this.#connection.signal);
      const opened = this.#read(await deadline.race(exchange));
      this.#uncertain = false;
      return opened;
    } catch (error) {
      this.#uncertain ||= mayHaveOpened(error);
      throw error;
    }
  }

  #read(answer: Answer): T {
    if (answer.status !== 200) throw errorOf(answer, 'create');
    return this.#options.read(answer);
  }

  /** Makes sure that the create leaves no session, whether it failed, succeeded or has not arrived yet. */
  async #settle(): Promise<void> {
    this.#connection.abort();
    const endsAt = performance.now() + settleMs;
    for (let tries = 0; ; tries++) {
      try {
        return await this.#options.closeByKey(settleTryMs);
      } catch (error) {
        const pauseMs = backOff(tries);
        const { statusCode = 0 } = error instanceof TurnpikeError ? error : {};
        // What the gateway refuses for good (the API key was rotated) is not worth another try.
        const isFinal = statusCode >= 400 && statusCode < 500 && statusCode !== 429;
        if (isFinal || performance.now() + pauseMs > endsAt) return;
        await pause(pauseMs);
      }
    }
  }
}
