const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** What ends a part of an HTTP message: a line feed, or an empty line. Bare line feeds count, so that a parser that refuses them can do so at once. */
export type MessageEnd = 'line' | 'head';

/** Finds the end of a line or a head in bytes that arrive in pieces. Looks at each byte once. */
export class EndFinder {
  readonly #end: MessageEnd;
  /** How many bytes of `\n\r` came last. */
  #matched = 0;

  constructor(end: MessageEnd) {
    this.#end = end;
  }

  /** Returns the offset after the end, or -1 if it is not in these bytes. */
  find(bytes: Uint8Array): number {
    if (this.#end === 'line') return bytes.indexOf(lineFeed) + 1 || -1;
    let matched = this.#matched;
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i];
      if (byte === lineFeed) {
        if (matched > 0) return i + 1;
        matched = 1;
      } else if (matched > 0) matched = matched === 1 && byte === carriageReturn ? 2 : 0;
    }
    this.#matched = matched;
    return -1;
  }
}
