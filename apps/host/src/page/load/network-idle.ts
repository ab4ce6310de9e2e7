/** How long it must be quiet. Puppeteer's figure. */
const quietMs = 500;
/** `networkidle0` and `networkidle2`: how many requests may go on. */
const levels = [0, 2] as const;
export type IdleLevel = (typeof levels)[number];

/** A page that has more requests open than this is not idle, whatever they do. */
const maxOpen = 10_000;

/**
 * Knows whether a page's network is idle as Puppeteer means it: for half a second, after its document was parsed, no
 * more than 0 or 2 requests have been open.
 */
export class NetworkIdle {
  readonly #onChange: () => void;
  readonly #open = new Set<string>();
  /** When it became quiet, by level and `performance.now()`; undefined if it is not. */
  readonly #quietSince = new Map<IdleLevel, number>();
  #timer: NodeJS.Timeout | undefined;
  #isParsed = false;

  /** `onChange` is called when a level has been quiet for long enough. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** A request has begun, or was redirected. */
  began(requestId: string): void {
    if (this.#open.size < maxOpen) this.#open.add(requestId);
    this.#update();
  }

  ended(requestId: string): void {
    if (this.#open.delete(requestId)) this.#update();
  }

  /** The document was parsed. */
  begin(): void {
    this.#isParsed = true;
    this.#update();
  }

  /** Another document is being loaded. Requests of the one before it end by themselves. */
  pause(): void {
    this.#isParsed = false;
    this.#update();
  }

  has(level: IdleLevel): boolean {
    const since = this.#quietSince.get(level);
    return since !== undefined && performance.now() - since >= quietMs;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #update(): void {
    for (const level of levels) {
      const isQuiet = this.#isParsed && this.#open.size <= level;
      if (!isQuiet) this.#quietSince.delete(level);
      else if (!this.#quietSince.has(level)) this.#quietSince.set(level, performance.now());
    }
    clearTimeout(this.#timer);
    const waiting = [...this.#quietSince.values()]
      .map((since) => since + quietMs - performance.now())
      .filter((ms) => ms > 0);
    if (waiting.length === 0) return;
    this.#timer = setTimeout(
      () => {
        this.#onChange();
        this.#update();
      },
      Math.min(...waiting),
    );
  }
}
