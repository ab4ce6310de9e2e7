/** One reading of another machine's clock. The first two are by this process's monotonic clock. */
export interface ClockSample {
  askedAt: number;
  answeredAt: number;
  /** What the other clock said, some time between the two. */
  at: number;
}

/** By how much two machines' clocks may drift apart, at worst, in a millisecond. */
const drift = 200e-6;

/**
 * What another machine's clock says, as an offset to this process's monotonic clock with a bound on its error: half
 * the round trip of the reading that it rests on, and the drift since. A reading replaces an older one when its bound
 * is the smaller one, so that slow round trips change nothing. One that contradicts the estimate (the bounds do not
 * overlap) means that one of the two clocks was set, or that this machine was suspended: then it wins.
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

  /** Answers by how many milliseconds the clock was found to have jumped; 0: it has not. */
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
