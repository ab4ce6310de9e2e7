import { release, type Share } from '../../memory/byte-budget.ts';

const minBlockBytes = 4096;
const maxBlockBytes = 8 * 2 ** 20;

/**
 * Holds an incomplete message. Memory is allocated as bytes come, never for a length that was only announced, and each
 * block is taken from a share of the session's budget first.
 */
export class MessageBuffer {
  readonly #share: Share;
  #blocks: Buffer[] = [];
  /** How much of the last block is used. */
  #filled = 0;
  #length = 0;
  #takenBytes = 0;

  constructor(share: Share) {
    this.#share = share;
  }

  get length(): number {
    return this.#length;
  }

  /** `missing` is how much is to come, including these bytes, if known. Returns false if there is no room. */
  append(bytes: Buffer, start: number, end: number, missing = Number.POSITIVE_INFINITY): boolean {
    let at = start;
    while (at < end) {
      let block = this.#blocks.at(-1);
      if (!block || this.#filled === block.length) {
        const wanted = Math.max(end - at, Math.min(Math.max(this.#length, minBlockBytes), maxBlockBytes));
        block = this.#newBlock(Math.min(wanted, missing - (at - start)));
        if (!block) return false;
      }
      const count = Math.min(end - at, block.length - this.#filled);
      bytes.copy(block, this.#filled, at, at + count);
      this.#filled += count;
      this.#length += count;
      at += count;
    }
    return true;
  }

  /** Returns a copy of the first bytes. */
  first(count: number): Buffer {
    const blocks = this.#blocks.slice(0, -1);
    const last = this.#blocks.at(-1)?.subarray(0, this.#filled) ?? Buffer.alloc(0);
    return Buffer.concat([...blocks, last], count);
  }

  /** Returns the whole message and its memory, which no longer count for the share. */
  take(): Buffer {
    const blocks = this.#blocks;
    const last = blocks.at(-1)?.subarray(0, this.#filled) ?? Buffer.alloc(0);
    let whole = last;
    if (blocks.length > 1) {
      whole = Buffer.allocUnsafeSlow(this.#length);
      let at = 0;
      for (const block of blocks) {
        const part = block === blocks.at(-1) ? last : block;
        at += part.copy(whole, at);
        release(block);
      }
    }
    this.#forget();
    return whole;
  }

  clear(): void {
    for (const block of this.#blocks) release(block);
    this.#forget();
  }

  #newBlock(bytes: number): Buffer | undefined {
    if (!this.#share.take(bytes)) return undefined;
    this.#takenBytes += bytes;
    const block = Buffer.allocUnsafeSlow(bytes);
    this.#blocks.push(block);
    this.#filled = 0;
    return block;
  }

  #forget(): void {
    this.#share.add(-this.#takenBytes);
    this.#blocks = [];
    this.#filled = 0;
    this.#length = 0;
    this.#takenBytes = 0;
  }
}
