/** One reading of another machine's clock. `askedAt` and `answeredAt` are by this process's monotonic clock. */
export interface ClockSample {
  askedAt: number;
  answeredAt: number;
  /** What the other clock said, some time between the two. */
  at: number;
}

/** How far two machines' clocks drift apart in a millisecond, at worst. */
const drift = 200e-6;

/**
 * Estimates another machine's clock, as an offset to this process's monotonic clock with a bound on its error: half the
 * round trip of the reading that it is based on, plus the drift since. A reading replaces an older one if its bound is
 * smaller, so slow round trips change nothing. A reading that contradicts the estimate (the bounds do not overlap)
 * always replaces it: one of the clocks was set, or this machine was suspended.
 */
export class ClockEstimate {
  #offset: number;
  #error: number;
  #takenAt: number;

  constructor(sample: ClockSample) {
    const { offset, error } = read(sample);
    this.#offset = offset;
    this.#error = error;
    this.#takenAt = sample.answeredAt;
  }

  /** Takes a reading. Returns by how many milliseconds the clock jumped; 0: it did not. */
  take(sample: ClockSample): number {
    const { offset, error } = read(sample);
    const known = this.#error + drift * Math.max(0, sample.answeredAt - this.#takenAt);
    const difference = offset - this.#offset;
    const jumped = Math.abs(difference) > known + error;
    if (!jumped && error > known) return 0;
    this.#offset = offset;
    this.#error = error;
    this.#takenAt = sample.answeredAt;
    return jumped ? difference : 0;
  }

  at(monotonicNow: number): number {
    return monotonicNow + this.#offset;
  }
}

/** Clocks are read in whole milliseconds. */
const resolutionMs = 1;

function read({ askedAt, answeredAt, at }: ClockSample): { offset: number; error: number } {
  return { offset: at - (askedAt + answeredAt) / 2, error: (answeredAt - askedAt) / 2 + resolutionMs };
}
