/** One writer at a time, first come, first served. */
export class WriteTurns {
  #isTaken = false;
  readonly #queue: (() => void)[] = [];

  /** Given back by its disposal. */
  async take(): Promise<Disposable> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#isTaken = true;
    return { [Symbol.dispose]: () => this.#giveBack() };
  }

  #giveBack(): void {
    const next = this.#queue.shift();
    if (next) next();
    else this.#isTaken = false;
  }
}
