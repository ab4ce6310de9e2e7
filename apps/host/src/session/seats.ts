/** How many sessions may open or run at once. */
export class Seats {
  readonly #count: number;
  #free: number;

  constructor(count: number) {
    this.#count = count;
    this.#free = count;
  }

  get taken(): number {
    return this.#count - this.#free;
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
