import { giveBackMemory } from '../memory/give-back-memory.ts';

const lookMs = 5000;
/** In the time between two looks: a thread that wakes less often is idle. */
const idleWakes = 100;
/** Less than this is not worth a pause. */
const worthBytes = 16 * 2 ** 20;

/** Gives the switchboard's memory back when it is idle after load: it makes too little to be collected otherwise. */
export class ThreadMemory {
  #lookedAt = performance.now();
  #wakes = 0;
  #leastBytes = heldBytes();

  /** To be called whenever the thread wakes, which it does every few seconds at least. */
  woke(): void {
    this.#wakes += 1;
    const now = performance.now();
    if (now - this.#lookedAt < lookMs) return;
    const isIdle = this.#wakes < idleWakes;
    this.#lookedAt = now;
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
