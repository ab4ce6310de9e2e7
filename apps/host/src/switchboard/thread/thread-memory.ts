import { giveBackMemory } from '../../native/give-back-memory.ts';

const checkIntervalMs = 5000;
/** A thread that wakes less often than this between two checks is idle. */
const idleWakes = 100;
/** Returning less than this is not worth the pause. */
const worthBytes = 16 * 2 ** 20;

/** Returns the switchboard thread's memory when it is idle after load: it allocates too little to trigger a collection. */
export class ThreadMemory {
  #checkedAt = performance.now();
  #wakes = 0;
  #leastBytes = heldBytes();

  /** Call whenever the thread wakes, which it does every few seconds at least. */
  woke(): void {
    this.#wakes += 1;
    const now = performance.now();
    if (now - this.#checkedAt < checkIntervalMs) return;
    const isIdle = this.#wakes < idleWakes;
    this.#checkedAt = now;
    this.#wakes = 0;
    if (!isIdle || heldBytes() < this.#leastBytes + worthBytes) return;
    giveBackMemory();
    this.#leastBytes = heldBytes();
  }
}

function heldBytes(): number {
  const { heapTotal, external } = process.memoryUsage();
  return heapTotal + external;
}
