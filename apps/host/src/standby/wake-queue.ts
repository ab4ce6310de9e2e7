import { availableParallelism, totalmem } from 'node:os';
import { FairOrder } from '../pool/fair-order.ts';

export interface WakeQueueOptions {
  /** How many browsers wake at the same time. */
  atOnce?: number;
  /** Memory that the host may still take. */
  availableBytes?(): number;
  /** What is left free of it. */
  reserveBytes?: number;
}

export interface WakeRequest {
  accountId: string;
  /** How much of it is in swap now. */
  swappedBytes(): number;
  signal: AbortSignal;
}

interface Waiting extends WakeRequest {
  begin(slot: Disposable): void;
}

/** How soon memory is looked at again while a wake waits for it. */
const lookMs = 250;
const reservedShare = 0.05;

/**
 * A semaphore for browsers that wake, fair by account. A wake waits until what it has in swap fits into memory, besides
 * that of others that wake: so a host that has more asleep than it can carry awake gets slow, not full.
 */
export class WakeQueue {
  readonly #atOnce: number;
  readonly #availableBytes: () => number;
  readonly #reserveBytes: number;
  readonly #waiting = new FairOrder<Waiting>();
  #running = 0;
  /** What those that wake may still take. */
  #promisedBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({
    atOnce = 2 * availableParallelism(),
    availableBytes = () => process.availableMemory(),
    reserveBytes = totalmem() * reservedShare,
  }: WakeQueueOptions = {}) {
    this.#atOnce = atOnce;
    this.#availableBytes = availableBytes;
    this.#reserveBytes = reserveBytes;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Waits for a slot, until it is disposed. Rejects with the signal's reason. */
  async acquire(request: WakeRequest): Promise<Disposable> {
    const { signal } = request;
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>();
    const waiting: Waiting = { ...request, begin: resolve };
    const leave = () => {
      if (this.#waiting.remove(waiting)) reject(signal.reason);
      this.#beginNext();
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#waiting.add(waiting);
    this.#beginNext();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #beginNext(): void {
    clearTimeout(this.#timer);
    while (this.#running < this.#atOnce) {
      const [next] = this.#waiting.list();
      if (!next) return;
      const bytes = next.swappedBytes();
      // One that wakes alone is not kept from it for the reserve.
      const keptBytes = this.#running === 0 ? 0 : this.#reserveBytes + this.#promisedBytes;
      if (this.#availableBytes() - keptBytes < bytes) {
        this.#timer = setTimeout(() => this.#beginNext(), lookMs).unref();
        return;
      }
      this.#waiting.take();
      next.begin(this.#begin(next.accountId, bytes));
    }
  }

  #begin(accountId: string, bytes: number): Disposable {
    this.#running += 1;
    this.#promisedBytes += bytes;
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        this.#running -= 1;
        this.#promisedBytes -= bytes;
        this.#waiting.release(accountId);
        this.#beginNext();
      },
    };
  }
}
