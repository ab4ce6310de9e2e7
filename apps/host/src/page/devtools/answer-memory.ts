/** Limits the bytes of large answers that the thread holds for all calls together. Who finds no room waits its turn. */
export class AnswerMemory {
  readonly #limitBytes: number;
  #held = 0;
  readonly #waiting = new Set<() => void>();

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get heldBytes(): number {
    return this.#held;
  }

  take(bytes: number): boolean {
    if (this.#held > 0 && this.#held + bytes > this.#limitBytes) return false;
    this.#held += bytes;
    return true;
  }

  free(bytes: number): void {
    this.#held -= bytes;
    // Each asks again, in order, and waits again if there is no room for it.
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const retry of waiting) retry();
  }

  /** Resolves when there is room, which it takes until it is disposed. */
  async reserve(bytes: number): Promise<Disposable> {
    while (!this.take(bytes)) await new Promise<void>((resolve) => this.wait(resolve));
    return { [Symbol.dispose]: () => this.free(bytes) };
  }

  wait(retry: () => void): void {
    this.#waiting.add(retry);
  }

  stopWaiting(retry: () => void): void {
    this.#waiting.delete(retry);
  }
}
