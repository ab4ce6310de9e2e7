import type { ThreadTime } from './thread-time.ts';

/** A thread that has worked on one thing for this long, by its processor time, does not come back. */
export const stallMs = 1000;
/** A thread that sleeps for more than this part of the time comes back now and then. */
const maxAsleep = 0.1;

interface Suspicion {
  /** What the thread was doing when it was first looked at. */
  piece: string;
  ranMs: number;
}

/**
 * Tells from looks at a thread whether it is stuck in one piece of work. Goes by the time that the thread ran, so a
 * machine that gives it no time is not taken for a fault of the work.
 */
export class StallDetector {
  #lookedAt = 0;
  #awakeMs = 0;
  #suspicion: Suspicion | undefined;

  /** Returns whether the thread has not slept since the last look. Only then is it worth asking what it does. */
  isBusy(now: number, { awakeMs }: ThreadTime): boolean {
    const elapsedMs = now - this.#lookedAt;
    const awake = awakeMs - this.#awakeMs;
    this.#lookedAt = now;
    this.#awakeMs = awakeMs;
    const isBusy = awake >= (1 - maxAsleep) * elapsedMs;
    if (!isBusy) this.#suspicion = undefined;
    return isBusy;
  }

  /** Takes what a busy thread is doing now. Returns for how long it has been at it, once that is too long. */
  stalledMs(piece: string, { ranMs }: ThreadTime): number | undefined {
    if (this.#suspicion?.piece !== piece) {
      this.#suspicion = { piece, ranMs };
      return undefined;
    }
    const ms = ranMs - this.#suspicion.ranMs;
    return ms >= stallMs ? ms : undefined;
  }

  /** Forgets what it saw: the thread has come back, or was interrupted. */
  clear(): void {
    this.#suspicion = undefined;
  }
}
