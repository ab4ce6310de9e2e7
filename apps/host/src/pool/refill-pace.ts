/** After a create, refills leave the machine to its client, which now connects and loads a first page. */
const quietMs = 300;
/** A refill waits no longer than this for creates, so that a stream of them does not keep the pool empty. */
const maxDelayMs = 2000;
const firstRetryMs = 1000;
const lastRetryMs = 60_000;

/** Decides when the pool may start its next browser: after creates, and with a growing delay while starts fail. */
export class RefillPace {
  readonly #now: () => number;
  #coldStarts = 0;
  #failures = 0;
  #deaths = 0;
  #lastCreate = Number.NEGATIVE_INFINITY;
  #lastFailure = Number.NEGATIVE_INFINITY;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** A session took a warm browser. */
  taken(): void {
    this.#deaths = 0;
    this.#lastCreate = this.#now();
  }

  /** A session starts a browser, until this is disposed of. */
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
    this.#lastFailure = this.#now();
    return { first: this.#failures === 1 };
  }

  /** A warm browser crashed. Only a browser that a session took resets the delay: one that starts may crash too. */
  died(): void {
    this.#deaths += 1;
    this.#lastFailure = this.#now();
  }

  /** How long to wait before the next check; 0: start now. `wantedSince`: when the start was first wanted. */
  waitMs(wantedSince: number): number {
    const now = this.#now();
    const retryAt = this.#lastFailure + retryMs(Math.max(this.#failures, this.#deaths));
    const quietAt = this.#coldStarts > 0 ? now + quietMs : this.#lastCreate + quietMs;
    return Math.max(0, retryAt - now, Math.min(quietAt, wantedSince + maxDelayMs) - now);
  }
}

function retryMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(lastRetryMs, firstRetryMs * 2 ** (failures - 1));
}
