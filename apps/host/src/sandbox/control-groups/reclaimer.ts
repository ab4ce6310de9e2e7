import { readSwap, type SwapState } from '../../memory/swap-areas.ts';
import type { GroupMemory } from './group-memory.ts';

/** Moves the memory of control groups to swap, one after the other: each keeps a processor and a thread of Node's busy. */
export class Reclaimer {
  readonly #readSwap: () => SwapState;
  #last: Promise<void> = Promise.resolve();

  constructor(read: () => SwapState = readSwap) {
    this.#readSwap = read;
  }

  /** Resolves when it is done, or when there is no swap that tenants' memory may go to. */
  reclaim(memory: GroupMemory, signal: AbortSignal): Promise<void> {
    const done = this.#last.then(async () => {
      if (!signal.aborted && this.#readSwap().kind === 'private') await memory.reclaim(signal);
    });
    this.#last = done;
    return done;
  }
}
