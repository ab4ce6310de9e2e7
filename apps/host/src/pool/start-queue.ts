import { HostError } from '@turnpike/contract/host';
import type { Shape } from '../chromium/browser-start.ts';
import { type RunningStart, StartPace } from './start-pace.ts';

export interface StartQueueOptions {
  /** How many starts go on at the same time. */
  atOnce: number;
  /** Told how long each waited that came to its turn. */
  onTurn?(waitedMs: number): void;
  now?(): number;
}

export interface StartWish {
  shape: Shape;
  /** By `performance.now()`: when its browser has to be up. */
  deadline: number;
  signal: AbortSignal;
}

/** A place among the starts that go on, until it is ended. */
export interface Turn {
  /** Whether it had to wait, or others started or came to wait beside it. */
  readonly contended: boolean;
  end(outcome: 'up' | 'failed'): void;
}

interface Waiting extends StartWish {
  begin(): void;
  refuse(): void;
}

interface Running {
  start: RunningStart;
  contended: boolean;
}

/** For what comes before and after a start: the check of the proxy, the profile, the way back to the caller. */
const marginMs = 1000;
/** A start may take this much longer than those before it did. */
const slack = 1.15;

/**
 * Browsers that are to start, first come, first served: as many at a time as the machine can carry, because more would
 * all be late together. Whoever cannot be up in time, by how long starts take now, is refused at once instead of late.
 */
export class StartQueue {
  readonly #options: StartQueueOptions;
  readonly #now: () => number;
  readonly #pace: StartPace;
  readonly #waiting: Waiting[] = [];
  readonly #running = new Set<Running>();

  constructor(options: StartQueueOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#pace = new StartPace(this.#now);
  }

  get counts(): { waiting: number; running: number } {
    return { waiting: this.#waiting.length, running: this.#running.size };
  }

  /** For what is in no hurry: a place that nobody else wants now. Undefined: there is none. */
  tryEnter(shape: Shape): Turn | undefined {
    if (this.#waiting.length > 0 || this.#running.size >= this.#options.atOnce) return undefined;
    return this.#begin(shape, false);
  }

  /** Resolves when it is its turn. Rejects with NO_SEAT when it would be too late, or with the signal's reason. */
  async enter(wish: StartWish): Promise<Turn> {
    wish.signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Turn>();
    const since = this.#now();
    let hadToWait = false;
    const waiting: Waiting = {
      ...wish,
      begin: () => {
        resolve(this.#begin(wish.shape, hadToWait));
        this.#options.onTurn?.(this.#now() - since);
      },
      refuse: () =>
        reject(new HostError('NO_SEAT', 'More browsers are to start than the machine can in time')),
    };
    if (this.#running.size >= this.#options.atOnce) this.#contend();
    this.#waiting.push(waiting);
    const leave = () => {
      this.#remove(waiting);
      reject(wish.signal.reason);
      this.#goOn();
    };
    wish.signal.addEventListener('abort', leave, { once: true });
    // When not even the next place would do: starts may have stopped ending.
    const lastMs = wish.deadline - since - this.#startMs(wish.shape) - marginMs;
    const last = setTimeout(() => this.#refuse(waiting), Math.max(0, lastMs)).unref();
    this.#goOn();
    hadToWait = true;
    try {
      return await promise;
    } finally {
      clearTimeout(last);
      wish.signal.removeEventListener('abort', leave);
    }
  }

  #begin(shape: Shape, hadToWait: boolean): Turn {
    const running: Running = { start: this.#pace.begin(shape), contended: hadToWait };
    this.#running.add(running);
    if (this.#running.size > 1) this.#contend();
    return {
      get contended() {
        return running.contended;
      },
      end: (outcome) => {
        if (!this.#running.delete(running)) return;
        running.start.end(outcome);
        this.#goOn();
      },
    };
  }

  #contend(): void {
    for (const running of this.#running) running.contended = true;
  }

  #goOn(): void {
    while (this.#running.size < this.#options.atOnce) {
      const next = this.#waiting.shift();
      if (!next) break;
      next.begin();
    }
    this.#refuseLate();
  }

  /** In their order: one that is refused makes those behind it earlier. */
  #refuseLate(): void {
    const now = this.#now();
    let aheadMs = 0;
    for (const { start } of this.#running) aheadMs += start.leftMs;
    for (const waiting of [...this.#waiting]) {
      const upAt = now + aheadMs * slack + this.#startMs(waiting.shape) + marginMs;
      if (upAt > waiting.deadline) this.#refuse(waiting);
      else aheadMs += this.#pace.costMs(waiting.shape);
    }
  }

  /** From its turn until it is up, among as many as may go on. */
  #startMs(shape: Shape): number {
    return this.#pace.costMs(shape) * this.#options.atOnce * slack;
  }

  #refuse(waiting: Waiting): void {
    if (this.#remove(waiting)) waiting.refuse();
  }

  #remove(waiting: Waiting): boolean {
    const index = this.#waiting.indexOf(waiting);
    if (index !== -1) this.#waiting.splice(index, 1);
    return index !== -1;
  }
}
