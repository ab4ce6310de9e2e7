import { Slices } from '@turnpike/process/work/slices';

/** Where a value begins and ends in JSON. */
export interface JsonRange {
  start: number;
  end: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const isOpening = (byte: number | undefined): boolean => byte === 0x5b || byte === 0x7b; // [ {
const isClosing = (byte: number | undefined): boolean => byte === 0x5d || byte === 0x7d; // ] }
const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** How many bytes are looked at between two pauses. */
const stepBytes = 32 * 1024;

/**
 * Finds the members of a JSON object, or the items of a list (by their index), without making values of them: a page may
 * be many megabytes. Takes time in proportion to its length, in slices. What is no JSON has no members.
 */
export async function rangesIn(json: Buffer, within?: JsonRange): Promise<Map<string, JsonRange>> {
  const scan = new Scan(json, within ?? { start: 0, end: json.length });
  const found = new Map<string, JsonRange>();
  const isObject = json[scan.skipSpace()] === 0x7b;
  if (!isObject && json[scan.at] !== 0x5b) return found;
  scan.at += 1;
  for (let index = 0; !scan.isOver && !isClosing(json[scan.skipSpace()]); index++) {
    let name = String(index);
    if (isObject) {
      const key = await scan.value();
      name = nameOf(json, key);
      if (json[scan.skipSpace()] !== colon) return new Map();
      scan.at += 1;
    }
    found.set(name, await scan.value());
    if (json[scan.skipSpace()] === comma) scan.at += 1;
    else if (!isClosing(json[scan.at])) return new Map();
  }
  return found;
}

const nameOf = (json: Buffer, { start, end }: JsonRange): string => json.toString('utf8', start + 1, end - 1);

class Scan {
  at: number;
  readonly #json: Buffer;
  readonly #end: number;
  readonly #slices = new Slices();
  #pausedAt = 0;

  constructor(json: Buffer, { start, end }: JsonRange) {
    this.#json = json;
    this.at = start;
    this.#end = end;
  }

  get isOver(): boolean {
    return this.at >= this.#end;
  }

  skipSpace(): number {
    while (!this.isOver && isSpace(this.#json[this.at])) this.at += 1;
    return this.at;
  }

  /** Goes to the end of the value that begins here. */
  async value(): Promise<JsonRange> {
    const start = this.skipSpace();
    let depth = 0;
    while (!this.isOver) {
      const byte = this.#json[this.at];
      if (byte === quote) this.#skipString();
      else if (isOpening(byte)) {
        depth += 1;
        this.at += 1;
      } else if (depth === 0 && (byte === comma || byte === colon || isClosing(byte) || isSpace(byte))) break;
      else {
        if (isClosing(byte)) depth -= 1;
        this.at += 1;
      }
      if (depth === 0 && (byte === quote || isClosing(byte))) break;
      if (this.at - this.#pausedAt > stepBytes) {
        this.#pausedAt = this.at;
        await this.#slices.pause();
      }
    }
    return { start, end: Math.min(this.at, this.#end) };
  }

  /** The end of a string is the first quote after an even number of backslashes. */
  #skipString(): void {
    let at = this.#json.indexOf(quote, this.at + 1);
    while (at !== -1) {
      let first = at;
      while (this.#json[first - 1] === backslash) first -= 1;
      if ((at - first) % 2 === 0) break;
      at = this.#json.indexOf(quote, at + 1);
    }
    this.at = at === -1 ? this.#end : at + 1;
  }
}
