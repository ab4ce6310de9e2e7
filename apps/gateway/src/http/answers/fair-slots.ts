import type { ErrorName } from '@turnpike/contract/errors';
import { ApiError } from '../api-error.ts';

export interface SlotLimits {
  /** Slots of all owners together. */
  atOnce: number;
  perOwner: number;
  /** How many of an owner may wait, and for how long. */
  waitingPerOwner: number;
  maxWaitMs: number;
  /** The answer to an owner that holds and waits for all that it may. Default: too many reads. */
  tooMany?: ErrorName;
}

interface Owner {
  name: string;
  held: number;
  waiting: Waiter[];
}

interface Waiter {
  grant(): void;
}

/**
 * Shares slots between owners. A free slot goes to the owner that holds the fewest, and among these to the one whose
 * last one is longest ago: who asks most does not get most.
 */
export class FairSlots {
  readonly #limits: SlotLimits;
  /** Owners that hold a slot or wait for one. Who got or released one last is at the end. */
  readonly #owners = new Map<string, Owner>();
  #held = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get held(): number {
    return this.#held;
  }

  /**
   * Waits for a slot. Disposing of the result releases it. Refuses when too many of the owner wait, or when it takes too
   * long: with 429 when the owner itself holds all that it may have, otherwise with 503.
   */
  async take(name: string, signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted();
    const owner = this.#owners.get(name) ?? { name, held: 0, waiting: [] };
    this.#owners.set(name, owner);
    if (this.#held < this.#limits.atOnce && owner.held < this.#limits.perOwner) this.#hold(owner);
    else if (owner.waiting.length >= this.#limits.waitingPerOwner) throw this.#refusal(owner);
    else await this.#wait(owner, signal);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#release(owner);
        isHeld = false;
      },
    };
  }

  #wait(owner: Owner, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const settle = () => {
      clearTimeout(late);
      signal?.removeEventListener('abort', leave);
    };
    const giveUp = (error: unknown) => {
      settle();
      owner.waiting.splice(owner.waiting.indexOf(waiter), 1);
      this.#forget(owner);
      reject(error);
    };
    const leave = () => giveUp(signal?.reason);
    const late = setTimeout(() => giveUp(this.#refusal(owner)), this.#limits.maxWaitMs);
    signal?.addEventListener('abort', leave);
    const waiter: Waiter = {
      grant() {
        settle();
        resolve();
      },
    };
    owner.waiting.push(waiter);
    return promise;
  }

  #hold(owner: Owner): void {
    owner.held += 1;
    this.#held += 1;
  }

  #release(owner: Owner): void {
    owner.held -= 1;
    this.#held -= 1;
    this.#moveToEnd(owner);
    const next = this.#next();
    if (next) {
      this.#moveToEnd(next);
      this.#hold(next);
      next.waiting.shift()?.grant();
    }
    this.#forget(owner);
  }

  /** Makes an owner the last among those that hold as many. */
  #moveToEnd(owner: Owner): void {
    this.#owners.delete(owner.name);
    this.#owners.set(owner.name, owner);
  }

  #next(): Owner | undefined {
    let next: Owner | undefined;
    for (const owner of this.#owners.values()) {
      const mayHold = owner.waiting.length > 0 && owner.held < this.#limits.perOwner;
      if (mayHold && owner.held < (next?.held ?? Number.POSITIVE_INFINITY)) next = owner;
    }
    return next;
  }

  #forget(owner: Owner): void {
    if (owner.held === 0 && owner.waiting.length === 0) this.#owners.delete(owner.name);
  }

  #refusal({ held }: Owner): ApiError {
    return new ApiError(held >= this.#limits.perOwner ? (this.#limits.tooMany ?? 'tooManyReads') : 'busy');
  }
}
