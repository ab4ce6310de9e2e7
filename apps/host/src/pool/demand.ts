import type { BrowserStart } from '../chromium/browser-start.ts';

const remembered = 16;

/**
 * The start options of recent creates of one shape, which predict the next ones. It begins with the usual options, so
 * that a single create with others changes nothing.
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

  /** Divides a number of browsers among the start options, by their share (largest remainder method). */
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

/** Equal for interchangeable browsers. */
export function startKey({ headless, os, pixelRatio, uiLanguage = '', userAgent }: BrowserStart): string {
  return `${headless} ${os} ${pixelRatio} ${uiLanguage} ${userAgent}`;
}
