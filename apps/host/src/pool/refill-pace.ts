/** After a create, refills leave the machine to its client, which now connects and loads a first page. */
const quietMs = 300;
/** A refill waits no longer than this for creates and page calls, so that a stream of them does not keep the pool empty. */
const maxDelayMs = 2000;
/** A page call that takes longer mostly waits for its page. */
const shortCallMs = 2000;
const firstRetryMs = 1000;
const lastRetryMs = 60_000;

/** Decides when the pool may start its next browser: after creates and page calls, and with a growing delay while starts fail. */
export class RefillPace {
  readonly #now: () => number;
  #coldStarts = 0;
  /** When the page calls that are under way began. The oldest first. */
  readonly #pageCalls = new Set<{ begunAt: number }>();
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

  /** Somebody waits for a page that loads now, until this is disposed of. */
  pageCall(): Disposable {
    const call = { begunAt: this.#now() };
    this.#pageCalls.add(call);
    return { [Symbol.dispose]: () => this.#pageCalls.delete(call) };
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
    const isBusy = this.#coldStarts > 0 || this.#isLoading(now);
    const quietAt = isBusy ? now + quietMs : this.#lastCreate + quietMs;
    return Math.max(0, retryAt - now, Math.min(quietAt, wantedSince + maxDelayMs) - now);
  }

  /** Whether a page call is under way that began lately. */
  #isLoading(now: number): boolean {
    const [newest] = [...this.#pageCalls].slice(-1);
    return newest !== undefined && newest.begunAt + shortCallMs > now;
  }
}

function retryMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(lastRetryMs, firstRetryMs * 2 ** (failures - 1));
}
