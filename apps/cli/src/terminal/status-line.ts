import { stripVTControlCharacters } from 'node:util';

export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

const eraseLine = '\r\x1b[K';
const tickMs = 1000;

/**
 * The last line of a terminal, which is replaced in place. Log lines go through it too, and so above it. Without a
 * terminal nothing is shown, and log lines pass through.
 */
export class StatusLine implements Disposable {
  readonly #output: Output;
  #shown = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(output: Output = process.stderr) {
    this.#output = output;
  }

  get isTTY(): boolean {
    return this.#output.isTTY === true;
  }

  show(text: string): void {
    clearInterval(this.#timer);
    this.#draw(text);
  }

  /** Shows the text with the seconds that have passed. */
  showProgress(text: string): void {
    const since = performance.now();
    this.show(`${text}…`);
    const seconds = () => Math.floor((performance.now() - since) / 1000);
    if (this.isTTY) this.#timer = setInterval(() => this.#draw(`${text}… ${seconds()} s`), tickMs).unref();
  }

  clear(): void {
    this.show('');
  }

  /** Writes whole lines above it. */
  write(text: string): void {
    const shown = this.#shown;
    this.#draw('');
    this.#output.write(text);
    this.#draw(shown);
  }

  #draw(text: string): void {
    if (!this.isTTY || text === this.#shown) return;
    // A line that wraps could not be replaced.
    const width = (this.#output.columns || 80) - 1;
    const plain = stripVTControlCharacters(text);
    this.#output.write(eraseLine + (plain.length > width ? `${plain.slice(0, width - 1)}…` : text));
    this.#shown = text;
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}
