import type { BrowserStart } from '../chromium/browser-start.ts';

const remembered = 16;

/**
 * What was asked for lately, of one shape: what waits is to be what will be asked for. It begins as if all had
 * asked for the usual, so that a single request for something else changes nothing.
 */
export class Demand {
  readonly #recent: BrowserStart[];

  constructor(usual: BrowserStart) {
    this.#recent = new Array<BrowserStart>(remembered).fill(usual);
  }

  asked(start: BrowserStart): void {
    this.#recent.push(start);
    this.#recent.shift();
  }

  /** So many starts, each kind by its share of what was asked for (the method of largest remainders). */
  share(count: number): BrowserStart[] {
    const kinds = [...Map.groupBy(this.#recent, startKey).values()].map((asked) => {
      const quota = (asked.length * count) / remembered;
      return { start: asked[0] as BrowserStart, whole: Math.floor(quota), rest: quota % 1 };
    });
    const whole = kinds.flatMap(({ start, whole }) => new Array<BrowserStart>(whole).fill(start));
    const rest = kinds.sort((a, b) => b.rest - a.rest).map(({ start }) => start);
    return [...whole, ...rest].slice(0, count);
  }
}

/** The same for browsers that can stand in for one another. */
export function startKey({ headless, pixelRatio, uiLanguage = '', userAgent }: BrowserStart): string {
  return `${headless} ${pixelRatio} ${uiLanguage} ${userAgent}`;
}
