import { randomInt } from 'node:crypto';

/** Two pieces of one of these sizes, or more of the largest, make up any text from the smallest on. */
export const windowSizes = [6, 8, 12, 16, 24, 32] as const;

const filterSize = 2 ** 16;

/** Random and odd, so that nobody can choose texts with equal hashes. */
const base = 2 * randomInt(2 ** 29) + 2 ** 30 + 1;

/** Finds pieces of one length in texts, with a hash that rolls along the text (Rabin and Karp). */
export class TextWindow {
  readonly size: number;
  /** What the first character of a piece is multiplied with. */
  readonly #power: number;
  readonly #filter = new Uint8Array(filterSize);
  readonly #pieces = new Set<string>();

  constructor(size: number) {
    this.size = size;
    let power = 1;
    for (let i = 1; i < size; i++) power = Math.imul(power, base);
    this.#power = power;
  }

  add(piece: string): void {
    this.#pieces.add(piece);
    let hash = 0;
    for (let i = 0; i < this.size; i++) hash = (Math.imul(hash, base) + piece.charCodeAt(i)) | 0;
    this.#filter[filterIndex(hash)] = 1;
  }

  isIn(text: string): boolean {
    return this.#next(text, () => true);
  }

  /** Returns where pieces are. Those that overlap or touch are one. */
  find(text: string): { start: number; end: number }[] {
    const found: { start: number; end: number }[] = [];
    this.#next(text, (start) => {
      const last = found.at(-1);
      if (last && start <= last.end) last.end = start + this.size;
      else found.push({ start, end: start + this.size });
      return false;
    });
    return found;
  }

  /** Calls `onFound` for each piece until it returns true. Returns whether it did. */
  #next(text: string, onFound: (start: number) => boolean): boolean {
    const { size } = this;
    const [filter, power] = [this.#filter, this.#power];
    let hash = 0;
    for (let i = 0; i < size - 1; i++) hash = (Math.imul(hash, base) + text.charCodeAt(i)) | 0;
    for (let start = 0; start + size <= text.length; start++) {
      hash = (Math.imul(hash, base) + text.charCodeAt(start + size - 1)) | 0;
      if (filter[filterIndex(hash)] === 1) {
        if (this.#pieces.has(text.slice(start, start + size)) && onFound(start)) return true;
      }
      hash = (hash - Math.imul(text.charCodeAt(start), power)) | 0;
    }
    return false;
  }
}

const filterIndex = (hash: number): number => (hash ^ (hash >>> 16)) & (filterSize - 1);
