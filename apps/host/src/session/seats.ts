import type { Seats as SeatCount } from '@turnpike/contract/host';

/** How many sessions may open or run at once. */
export class Seats {
  readonly #total: number;
  #used = 0;

  constructor(total: number) {
    this.#total = total;
  }

  get count(): SeatCount {
    return { total: this.#total, used: this.#used };
  }

  /** False: every one is taken. */
  take(): boolean {
    if (this.#used === this.#total) return false;
    this.#used += 1;
    return true;
  }

  giveBack(): void {
    this.#used -= 1;
  }
}
