/** How many sessions may open or run at once. */
export class Seats {
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** False: every one is taken. */
  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  giveBack(): void {
    this.#free += 1;
  }
}
