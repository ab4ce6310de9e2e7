/** The places for browsers. A seat's number is nobody else's while it is held. */
export class Seats {
  readonly #free: number[];

  constructor(count: number) {
    this.#free = Array.from({ length: count }, (_, seat) => seat);
  }

  take(): number | undefined {
    return this.#free.shift();
  }

  giveBack(seat: number): void {
    this.#free.push(seat);
  }
}
