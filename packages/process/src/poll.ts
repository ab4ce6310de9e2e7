/**
 * Runs a step every so often, never two at once. A step that fails is reported, and the next one tries again. Disposing
 * waits for the step under way, and no other begins.
 */
export class Poll implements AsyncDisposable {
  readonly #step: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | undefined;
  #isWantedAgain = false;
  #isStopped = false;

  constructor(everyMs: number, step: () => Promise<void>, onError: (error: unknown) => void) {
    this.#step = step;
    this.#onError = onError;
    this.#timer = setInterval(() => {
      this.#running ??= this.#run();
    }, everyMs);
  }

  /** Runs the step now; if one is under way, once more after it. */
  now(): void {
    this.#isWantedAgain = true;
    if (!this.#isStopped) this.#running ??= this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    do {
      this.#isWantedAgain = false;
      await this.#step().catch(this.#onError);
    } while (this.#isWantedAgain && !this.#isStopped);
    this.#running = undefined;
  }
}
