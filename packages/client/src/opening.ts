import { type Answer, errorOf } from './answer-error.ts';
import { Deadline, pause } from './deadline.ts';
import { CapacityError, ConnectionFailedError, RateLimitError, TurnpikeError } from './errors.ts';
import { backOff, withRepeats } from './repeats.ts';
import type { Request, Transport } from './transport.ts';

/** How long a create is looked after, by trying again, once its caller has gone without an answer. */
const settleMs = 30_000;
/** For each try, and for the answer that may still come after the caller left. */
const settleTryMs = 20_000;

export interface OpeningOptions<T> {
  request: Request;
  idempotencyKey: string;
  /** Reads a 200; throws a ConnectionFailedError where it is none of the service's. */
  read(answer: Answer): T;
  close(sessionId: string): Promise<unknown>;
}

/**
 * One create. It carries an Idempotency-Key, so that repeats of it are one session, whatever is lost on the way.
 * When the caller goes without an answer and there may be a session all the same, it is found and closed.
 */
export class Opening<T> {
  readonly #transport: Transport;
  readonly #options: OpeningOptions<T>;
  readonly #request: Request;
  readonly #line = new AbortController();
  #inFlight: Promise<Answer> | undefined;
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
      if (this.#uncertain) this.settled = this.#settle(deadline);
      throw error;
    }
  }

  async #attempt(deadline: Deadline): Promise<T> {
    // Not cut off at the deadline: the answer, should it still come, says what to close.
    this.#inFlight = this.#transport.exchange(this.#request, this.#line.signal);
    try {
      const opened = this.#read(await deadline.race(this.#inFlight));
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

  async #settle(deadline: Deadline): Promise<void> {
    const endsAt = performance.now() + settleMs;
    try {
      // To a caller who left early the answer is still on its way; where time ran out it is more likely lost.
      const underWay = deadline.wasCalledOff ? this.#inFlight : undefined;
      let answer = underWay ?? this.#repeat();
      for (let tries = 0; !(await this.#closeWhatCame(answer)); tries++) {
        const pauseMs = backOff(tries);
        if (performance.now() + pauseMs > endsAt) return;
        await pause(pauseMs);
        answer = this.#repeat();
      }
    } finally {
      // Only now: a gateway that sees its client hang up frees the key, and a repeat would be a new browser.
      this.#line.abort();
    }
  }

  #repeat(): Promise<Answer> {
    return this.#transport.exchange(this.#request, this.#line.signal);
  }

  /** False: it is still not known whether there is a session. */
  async #closeWhatCame(answering: Promise<Answer>): Promise<boolean> {
    try {
      const answer = await new Deadline({ timeoutMs: settleTryMs }).race(answering);
      this.#read(answer);
      await this.#options.close(answer.headers.get('x-session-id') ?? '');
      return true;
    } catch (error) {
      return error instanceof TurnpikeError && saysNoSession(error);
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
