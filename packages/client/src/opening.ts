import { type Answer, errorOf } from './answer-error.ts';
import { type Deadline, pause } from './deadline.ts';
import { TurnpikeError } from './errors.ts';
import { mayHaveOpened } from './may-have-opened.ts';
import { backOff, withRepeats } from './repeats.ts';
import type { Request, Transport } from './transport.ts';

/** How long a create is looked after, by trying again, once its caller has gone without an answer. */
const settleMs = 30_000;
/** For each try. */
const settleTryMs = 10_000;

export interface OpeningOptions<T> {
  request: Request;
  idempotencyKey: string;
  /** Reads a 200; throws a ConnectionFailedError where it is none of the service's. */
  read(answer: Answer): T;
  /** Closes what the key has opened, or would. */
  closeByKey(timeoutMs: number): Promise<void>;
}

/**
 * One create. It carries an Idempotency-Key, so that repeats of it are one session, whatever is lost on the way.
 * When the caller goes without an answer and there may be a session all the same, it is closed by that key.
 */
export class Opening<T> {
  readonly #transport: Transport;
  readonly #options: OpeningOptions<T>;
  readonly #request: Request;
  readonly #line = new AbortController();
  /** There may be a session that the caller does not know of. */
  #uncertain = false;
  /** Resolves when nothing is left to do. */
  settled: Promise<void> = Promise.resolve();

  constructor(transport: Transport, options: OpeningOptions<T>) {
    this.#transport = transport;
    this.#options = options;
    this.#request = { ...options.request, headers: { 'idempotency-key': options.idempotencyKey } };
  }

  async open(deadline: Deadline, retries: number): Promise<T> {
    if (deadline.isOver) throw deadline.reason();
    try {
      return await withRepeats(() => this.#attempt(deadline), { purpose: 'create', retries, deadline });
    } catch (error) {
      if (this.#uncertain) this.settled = this.#settle();
      throw error;
    }
  }

  async #attempt(deadline: Deadline): Promise<T> {
    try {
      const exchange = this.#transport.exchange(this.#request, this.#line.signal);
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

  /** Whatever has become of the create, and if it is still on its way: after this there is no session of it. */
  async #settle(): Promise<void> {
    this.#line.abort();
    const endsAt = performance.now() + settleMs;
    for (let tries = 0; ; tries++) {
      try {
        return await this.#options.closeByKey(settleTryMs);
      } catch (error) {
        const pauseMs = backOff(tries);
        const { statusCode = 0 } = error instanceof TurnpikeError ? error : {};
        // What the gateway refuses for good (the key was rotated) will not be otherwise in a moment.
        const isFinal = statusCode >= 400 && statusCode < 500 && statusCode !== 429;
        if (isFinal || performance.now() + pauseMs > endsAt) return;
        await pause(pauseMs);
      }
    }
  }
}
