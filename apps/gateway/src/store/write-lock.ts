/** Lets one writer at a time work, in the order in which they came. */
export class WriteLock {
  #isTaken = false;
  readonly #queue: (() => void)[] = [];

  /** Waits for the lock. Disposing of the result releases it. */
  async take(): Promise<Disposable> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#isTaken = true;
    return { [Symbol.dispose]: () => this.#release() };
  }

  #release(): void {
    const next = this.#queue.shift();
    if (next) next();
    else this.#isTaken = false;
  }
}
