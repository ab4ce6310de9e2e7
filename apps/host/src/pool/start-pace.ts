import type { Shape } from '../chromium/browser-start.ts';

/** Before any start has been seen: what one takes of two cores that have nothing else to do. */
const firstGuessMs: Record<Shape, number> = { headful: 600, headless: 450 };
/** How much the newest start counts for; the ones before share the rest. */
const newest = 0.25;

/** The machine may have become quiet or busy since. */
const staleMs = 15_000;

/** A start that goes on. */
export interface RunningStart {
  /** What it will still take, as far as can be said. */
  readonly leftMs: number;
  /** It is over; one that failed at once says nothing about how long starts take. */
  end(outcome: 'up' | 'failed'): void;
}

/**
 * How long a browser's start takes the machine: its share of the time in which it went on, because starts that go on
 * together slow each other down. So what starts take adds up, however many go on at once.
 */
export class StartPace {
  readonly #now: () => number;
  #costMs = { ...firstGuessMs };
  #running = 0;
  /** Time in which starts went on, divided by how many did. */
  #sharedMs = 0;
  #seenAt: number;

  constructor(now = () => performance.now()) {
    this.#now = now;
    this.#seenAt = now();
  }

  costMs(shape: Shape): number {
    this.#look();
    return this.#costMs[shape];
  }

  begin(shape: Shape): RunningStart {
    this.#look();
    const pace = this;
    const from = this.#sharedMs;
    this.#running += 1;
    return {
      get leftMs() {
        pace.#look();
        return Math.max(0, pace.#costMs[shape] - (pace.#sharedMs - from));
      },
      end(outcome) {
        pace.#look();
        pace.#running -= 1;
        const tookMs = pace.#sharedMs - from;
        const costMs = pace.#costMs[shape];
        if (outcome === 'up' || tookMs > costMs) pace.#costMs[shape] += newest * (tookMs - costMs);
      },
    };
  }

  #look(): void {
    const now = this.#now();
    if (this.#running === 0 && now - this.#seenAt > staleMs) this.#costMs = { ...firstGuessMs };
    if (this.#running > 0) this.#sharedMs += (now - this.#seenAt) / this.#running;
    this.#seenAt = now;
  }
}
