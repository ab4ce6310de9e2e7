/** Tells those who wait whether the next browser starts. */
export class StartOutcomes {
  readonly #waiting = new Set<PromiseWithResolvers<void>>();

  /** Resolves when a browser has started; rejects with the reason if the next start fails. */
  next(): Promise<void> {
    const waiting = Promise.withResolvers<void>();
    this.#waiting.add(waiting);
    return waiting.promise;
  }

  up(): void {
    for (const waiting of this.#waiting) waiting.resolve();
    this.#waiting.clear();
  }

  failed(reason: Error): void {
    for (const waiting of this.#waiting) waiting.reject(reason);
    this.#waiting.clear();
  }
}
