const smallBytes = 4096;

/** Bytes that have arrived on a connection and that nobody has read. */
export class UnreadBytes {
  readonly #chunks: Buffer[] = [];
  #length = 0;
  /** The last chunk is the end of what is used of this. */
  #block: Buffer | undefined;
  #blockUsed = 0;

  get length(): number {
    return this.#length;
  }

  /** The next bytes, or the beginning of them, without taking them. */
  get first(): Buffer | undefined {
    return this.#chunks[0];
  }

  /** Joins small pieces, so that many of them take little more memory than their bytes. */
  add(bytes: Buffer): void {
    this.#length += bytes.length;
    const last = this.#chunks.at(-1);
    if (last === undefined || last.length + bytes.length > smallBytes) {
      this.#chunks.push(bytes);
      this.#block = undefined;
    } else this.#chunks[this.#chunks.length - 1] = this.#join(last, bytes);
  }

  /** Appends to a block, so that a byte is copied twice at most. */
  #join(last: Buffer, bytes: Buffer): Buffer {
    if (!this.#block || this.#blockUsed + bytes.length > smallBytes) {
      this.#block = Buffer.allocUnsafe(smallBytes);
      this.#blockUsed = last.copy(this.#block);
    }
    const start = this.#blockUsed - last.length;
    this.#blockUsed += bytes.copy(this.#block, this.#blockUsed);
    return this.#block.subarray(start, this.#blockUsed);
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
    if (this.#chunks.length === 0) this.#block = undefined;
    this.#length -= bytes.length;
    return bytes;
  }

  /** Takes everything. */
  takeAll(): Buffer {
    const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    this.clear();
    return all;
  }

  clear(): void {
    this.#chunks.length = 0;
    this.#length = 0;
    this.#block = undefined;
  }
}
