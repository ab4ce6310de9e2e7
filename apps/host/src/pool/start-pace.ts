import type { Shape } from '../chromium/browser-start.ts';

/** The cost of a start on two idle cores, used until starts have been measured. */
const firstGuessMs: Record<Shape, number> = { headful: 600, headless: 450 };
/** The weight of the newest start in the moving average. */
const newestWeight = 0.25;

/** Measurements are forgotten after this time: the machine's load may have changed. */
const staleMs = 15_000;

/** A start that is running. */
export interface RunningStart {
  /** How long it will still take, as an estimate. */
  readonly leftMs: number;
  /** Records how long it took. A start that failed at once does not count. */
  end(outcome: 'up' | 'failed'): void;
}

/**
 * Estimates the cost of a browser start: its share of the time while it ran. Starts that run together slow each other
 * down, so a start that shared the machine with one other costs half of its time. Costs add up, however many run at
 * once.
 */
export class StartPace {
  readonly #now: () => number;
  #costMs = { ...firstGuessMs };
  #running = 0;
  /** Time while starts ran, divided by their number. */
  #sharedMs = 0;
  #updatedAt: number;

  constructor(now = () => performance.now()) {
    this.#now = now;
    this.#updatedAt = now();
  }

  costMs(shape: Shape): number {
    this.#update();
    return this.#costMs[shape];
  }

  begin(shape: Shape): RunningStart {
    this.#update();
    const pace = this;
    const from = this.#sharedMs;
    this.#running += 1;
    return {
      get leftMs() {
        pace.#update();
        return Math.max(0, pace.#costMs[shape] - (pace.#sharedMs - from));
      },
      end(outcome) {
        pace.#update();
        pace.#running -= 1;
        const tookMs = pace.#sharedMs - from;
        const costMs = pace.#costMs[shape];
        if (outcome === 'up' || tookMs > costMs) pace.#costMs[shape] += newestWeight * (tookMs - costMs);
      },
    };
  }

  #update(): void {
    const now = this.#now();
    if (this.#running === 0 && now - this.#updatedAt > staleMs) this.#costMs = { ...firstGuessMs };
    if (this.#running > 0) this.#sharedMs += (now - this.#updatedAt) / this.#running;
    this.#updatedAt = now;
  }
}
