const smallBytes = 4096;

/** Bytes that have arrived on a connection and that nobody has read. */
export class UnreadBytes {
  readonly #chunks: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The next bytes, or the beginning of them, without taking them. */
  get first(): Buffer | undefined {
    return this.#chunks[0];
  }

  /** Joins small pieces, so that many of them take little more memory than their bytes. */
  add(bytes: Buffer): void {
    const last = this.#chunks.at(-1);
    const isSmall = last !== undefined && last.length + bytes.length <= smallBytes;
    if (isSmall) this.#chunks[this.#chunks.length - 1] = Buffer.concat([last, bytes]);
    else this.#chunks.push(bytes);
    this.#length += bytes.length;
  }

  putBack(bytes: Buffer): void {
    this.#chunks.unshift(bytes);
    this.#length += bytes.length;
  }

  /** Takes the next bytes, at most `max`. Call it only if there are some. */
  take(max = Number.POSITIVE_INFINITY): Buffer {
    const first = this.#chunks[0] as Buffer;
    const isWhole = first.length <= max;
    const bytes = isWhole ? first : first.subarray(0, max);
    if (isWhole) this.#chunks.shift();
    else this.#chunks[0] = first.subarray(max);
    this.#length -= bytes.length;
    return bytes;
  }

  clear(): void {
    this.#chunks.length = 0;
    this.#length = 0;
  }
}
