/** How long one account's or session's work may keep a thread before others get their turn. */
const sliceMs = 2;

/** Divides long computing into slices, between which the event loop serves everybody else. */
export class Slices {
  readonly #now: () => number;
  #endsAt: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#endsAt = now() + sliceMs;
  }

  /** Whether this slice has used its time. */
  get isOver(): boolean {
    return this.#now() >= this.#endsAt;
  }

  /** Lets others be served if this slice is over, and begins the next. Call it between two short steps. */
  async pause(): Promise<void> {
    if (!this.isOver) return;
    await new Promise(setImmediate);
    this.#endsAt = this.#now() + sliceMs;
  }
}
