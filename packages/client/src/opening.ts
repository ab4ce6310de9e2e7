import { type Answer, errorOf } from './answer-error.ts';
import { type Deadline, pause } from './deadline.ts';
import { CapacityError, ConnectionFailedError, RateLimitError, TurnpikeError } from './errors.ts';
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

/** The gateway's word that this create has no session, and that a repeat would be the first to make one. */
function saysNoSession(error: TurnpikeError): boolean {
  const { statusCode = 0 } = error;
  if (isTurnedAway(error)) return false;
  if (statusCode === 502) return error.message.startsWith('Browser creation failed');
  return error instanceof CapacityError || (statusCode >= 300 && statusCode < 500);
}

/** Refused before anything was looked at: this request has opened nothing, which says nothing of earlier ones. */
function isTurnedAway(error: TurnpikeError): boolean {
  return (
    error instanceof RateLimitError || error.message === 'Authentication service temporarily unavailable'
  );
}

/** Whether a request that failed like this may have opened a session. */
function mayHaveOpened(error: unknown): boolean {
  if (!(error instanceof TurnpikeError)) return true; // The caller's own signal, while it was under way.
  if (isTurnedAway(error) || saysNoSession(error)) return false;
  return !(error instanceof ConnectionFailedError && neverConnected(error));
}

const connectErrors = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

function neverConnected({ cause }: ConnectionFailedError): boolean {
  const inner = (cause as { cause?: { code?: unknown } } | undefined)?.cause?.code;
  return typeof inner === 'string' && connectErrors.includes(inner);
}
