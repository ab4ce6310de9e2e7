import { HostError } from '@turnpike/contract/host';
import type { Shape } from '../chromium/browser-start.ts';
import { FairOrder } from './fair-order.ts';
import { type RunningStart, StartPace } from './start-pace.ts';

export interface StartQueueOptions {
  /** How many browsers start at the same time. */
  atOnce: number;
  /** Told how long each start waited. */
  onAcquired?(waitedMs: number): void;
  now?(): number;
}

export interface StartRequest {
  shape: Shape;
  /** Whose session it is for. Empty: the gateway is of an earlier version, which does not say. */
  accountId: string;
  /** When the browser has to be up, by `performance.now()`. */
  deadline: number;
  signal: AbortSignal;
}

/** Permission to start a browser, until it is released. */
export interface StartSlot {
  /** Whether this start had to wait, or others ran or waited at the same time. */
  readonly contended: boolean;
  release(outcome: 'up' | 'failed'): void;
}

interface WaitingStart extends StartRequest {
  begin(): void;
  refuse(): void;
}

interface Running {
  start: RunningStart;
  contended: boolean;
}

/** Time for what comes before and after a start: the proxy check, the profile, the answer to the gateway. */
const marginMs = 1000;
/** Allows a start to take longer than those before it. */
const slack = 1.15;

/**
 * A semaphore for browser starts, fair by account. Only as many run at a time as the machine can carry: more would all
 * be late together. A start that cannot be up in time, by how long starts take now, is refused at once.
 */
export class StartQueue {
  readonly #options: StartQueueOptions;
  readonly #now: () => number;
  readonly #pace: StartPace;
  readonly #waiting = new FairOrder<WaitingStart>();
  readonly #running = new Set<Running>();

  constructor(options: StartQueueOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#pace = new StartPace(this.#now);
  }

  get counts(): { waiting: number; running: number } {
    return { waiting: this.#waiting.size, running: this.#running.size };
  }

  /** Takes a slot for a start that can wait. Returns undefined if starts for sessions need them all. */
  tryAcquire(shape: Shape): StartSlot | undefined {
    if (this.#waiting.size > 0 || this.#running.size >= this.#options.atOnce) return undefined;
    return this.#begin(shape, false);
  }

  /** Waits for a slot. Rejects with NO_SEAT when the start would be too late, or with the signal's reason. */
  async acquire(request: StartRequest): Promise<StartSlot> {
    const { shape, deadline, signal, accountId } = request;
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<StartSlot>();
    const since = this.#now();
    let hadToWait = false;
    const waiting: WaitingStart = {
      ...request,
      begin: () => {
        resolve(this.#begin(shape, hadToWait, accountId));
        this.#options.onAcquired?.(this.#now() - since);
      },
      refuse: () =>
        reject(new HostError('NO_SEAT', 'More browsers are to start than the machine can start in time')),
    };
    if (this.#running.size >= this.#options.atOnce) this.#markContended();
    this.#waiting.add(waiting);
    const leave = () => {
      this.#waiting.remove(waiting);
      reject(signal.reason);
      this.#beginNext();
    };
    signal.addEventListener('abort', leave, { once: true });
    // Refuses it when even the next slot would be too late, should running starts not end.
    const refuseInMs = deadline - since - this.#startMs(shape) - marginMs;
    const timer = setTimeout(() => this.#refuse(waiting), Math.max(0, refuseInMs)).unref();
    this.#beginNext();
    hadToWait = true;
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    }
  }

  /** Without an account, nobody's share of the slots is used. */
  #begin(shape: Shape, hadToWait: boolean, accountId?: string): StartSlot {
    const running: Running = { start: this.#pace.begin(shape), contended: hadToWait };
    this.#running.add(running);
    if (this.#running.size > 1) this.#markContended();
    return {
      get contended() {
        return running.contended;
      },
      release: (outcome) => {
        if (!this.#running.delete(running)) return;
        running.start.end(outcome);
        if (accountId !== undefined) this.#waiting.release(accountId);
        this.#beginNext();
      },
    };
  }

  #markContended(): void {
    for (const running of this.#running) running.contended = true;
  }

  #beginNext(): void {
    while (this.#running.size < this.#options.atOnce) {
      const next = this.#waiting.take();
      if (!next) break;
      next.begin();
    }
    this.#refuseLate();
  }

  /** Refuses starts that would be late, in their order: each refusal brings those behind it forward. */
  #refuseLate(): void {
    const now = this.#now();
    let aheadMs = 0;
    for (const { start } of this.#running) aheadMs += start.leftMs;
    for (const waiting of this.#waiting.list()) {
      const upAt = now + aheadMs * slack + this.#startMs(waiting.shape) + marginMs;
      if (upAt > waiting.deadline) this.#refuse(waiting);
      else aheadMs += this.#pace.costMs(waiting.shape);
    }
  }

  /** How long a start takes while all slots are in use. */
  #startMs(shape: Shape): number {
    return this.#pace.costMs(shape) * this.#options.atOnce * slack;
  }

  #refuse(waiting: WaitingStart): void {
    if (this.#waiting.remove(waiting)) waiting.refuse();
  }
}
