/** For so long after a create, the machine is its client's, who now connects and loads a first page. */
const quietMs = 300;
/** But a stream of creates does not keep the pool empty. */
const patienceMs = 2000;
const firstRetryMs = 1000;
const lastRetryMs = 60_000;

/** When the pool may start its next browser: behind creates, and ever later while starting is of no use. */
export class RefillPace {
  readonly #now: () => number;
  #coldStarts = 0;
  #failures = 0;
  #deaths = 0;
  #lastCreate = Number.NEGATIVE_INFINITY;
  #lastTrouble = Number.NEGATIVE_INFINITY;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** A session took one that waited. */
  taken(): void {
    this.#deaths = 0;
    this.#lastCreate = this.#now();
  }

  /** A session starts its own, until this is disposed of. */
  coldStart(): Disposable {
    this.#coldStarts += 1;
    return {
      [Symbol.dispose]: () => {
        this.#coldStarts -= 1;
        this.#lastCreate = this.#now();
      },
    };
  }

  started(): { afterFailure: boolean } {
    const afterFailure = this.#failures > 0;
    this.#failures = 0;
    return { afterFailure };
  }

  failed(): { first: boolean } {
    this.#failures += 1;
    this.#lastTrouble = this.#now();
    return { first: this.#failures === 1 };
  }

  /** One that waited went away. That another starts does not show that it stays: only that one is taken does. */
  died(): void {
    this.#deaths += 1;
    this.#lastTrouble = this.#now();
  }

  /** How long to wait before looking again; 0: start. `wantedSince`: when the start was first wanted. */
  waitMs(wantedSince: number): number {
    const now = this.#now();
    const retryAt = this.#lastTrouble + retryMs(Math.max(this.#failures, this.#deaths));
    const quietAt = this.#coldStarts > 0 ? now + quietMs : this.#lastCreate + quietMs;
    return Math.max(0, retryAt - now, Math.min(quietAt, wantedSince + patienceMs) - now);
  }
}

function retryMs(troubles: number): number {
  return troubles === 0 ? 0 : Math.min(lastRetryMs, firstRetryMs * 2 ** (troubles - 1));
}
