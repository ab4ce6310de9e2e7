import { randomInt } from 'node:crypto';

/** Two pieces of one of these sizes, or more of the largest, make up any text from the smallest on. */
export const pieceSizes = [6, 8, 12, 16, 24, 32] as const;
const [anchorSize] = pieceSizes;

export interface Range {
  start: number;
  end: number;
}

/** Random and odd, so that nobody can choose texts with equal hashes. */
const base = 2 * randomInt(2 ** 29) + 2 ** 30 + 1;
/** What the first character of an anchor is multiplied with. */
const anchorPower = Array.from({ length: anchorSize - 1 }).reduce(
  (power: number) => Math.imul(power, base),
  1,
);

/** Small enough for the processor's first cache: it is read once for each character. */
const anchorSlots = 2 ** 14;
const pieceSlots = 2 ** 16;
/** A counter that is full stays so: it would only say too often that a piece may be there. */
const fullCounter = 255;

/**
 * Finds pieces in texts. One hash rolls along the text and finds where a piece may begin (Rabin and Karp); there it is
 * continued to the sizes of pieces. A text costs what its length costs, whatever the pieces and the text are, and a piece
 * costs the same to add and to delete however many there are.
 */
export class PieceIndex {
  readonly #pieces = new Map<string, number>();
  readonly #anchors = new Uint8Array(anchorSlots);
  readonly #hashes = new Uint8Array(pieceSlots);

  /** `piece` has one of the sizes. */
  add(piece: string): void {
    const count = this.#pieces.get(piece) ?? 0;
    this.#pieces.set(piece, count + 1);
    if (count === 0) this.#count(piece, 1);
  }

  delete(piece: string): void {
    const count = this.#pieces.get(piece) ?? 0;
    if (count > 1) this.#pieces.set(piece, count - 1);
    else if (this.#pieces.delete(piece)) this.#count(piece, -1);
  }

  isIn(text: string): boolean {
    return this.#search(text, () => true);
  }

  /** Returns where pieces are, in order. Those that overlap or touch are one. */
  find(text: string): Range[] {
    const found: Range[] = [];
    this.#search(text, (start, end) => {
      const last = found.at(-1);
      if (last && start <= last.end) last.end = Math.max(last.end, end);
      else found.push({ start, end });
      return false;
    });
    return found;
  }

  /** Calls `onFound` for each piece until it returns true. Returns whether it did. */
  #search(text: string, onFound: (start: number, end: number) => boolean): boolean {
    const anchors = this.#anchors;
    let hash = 0;
    for (let i = 0; i < anchorSize - 1; i++) hash = (Math.imul(hash, base) + text.charCodeAt(i)) | 0;
    for (let start = 0, last = anchorSize - 1; last < text.length; start++, last++) {
      hash = (Math.imul(hash, base) + text.charCodeAt(last)) | 0;
      if (anchors[slotOf(hash, anchorSlots)] !== 0) {
        const size = this.#sizeAt(text, start, hash);
        if (size > 0 && onFound(start, start + size)) return true;
      }
      hash = (hash - Math.imul(text.charCodeAt(start), anchorPower)) | 0;
    }
    return false;
  }

  /** Returns the size of the largest piece that begins here, or 0. */
  #sizeAt(text: string, start: number, anchorHash: number): number {
    let found = 0;
    let hash = anchorHash;
    let at = start + anchorSize;
    for (const size of pieceSizes) {
      if (start + size > text.length) break;
      for (; at < start + size; at++) hash = (Math.imul(hash, base) + text.charCodeAt(at)) | 0;
      if (this.#hashes[slotOf(hash, pieceSlots)] !== 0 && this.#pieces.has(text.slice(start, start + size)))
        found = size;
    }
    return found;
  }

  #count(piece: string, change: 1 | -1): void {
    let hash = 0;
    for (let i = 0; i < piece.length; i++) {
      hash = (Math.imul(hash, base) + piece.charCodeAt(i)) | 0;
      if (i === anchorSize - 1) countAt(this.#anchors, slotOf(hash, anchorSlots), change);
    }
    countAt(this.#hashes, slotOf(hash, pieceSlots), change);
  }
}

const slotOf = (hash: number, slots: number): number => (hash ^ (hash >>> 16)) & (slots - 1);

function countAt(counters: Uint8Array, slot: number, change: 1 | -1): void {
  const count = counters[slot] as number;
  if (count !== fullCounter) counters[slot] = count + change;
}
