import type { Writable } from 'node:stream';

/** Up to here, copying the parts together costs less than handing them over one by one. */
const maxCopiedBytes = 64 * 1024;

/** What is to go out in one write. */
export class WriteBatch {
  readonly #to: Writable;
  #parts: (Buffer | string)[] = [];
  #bytes = 0;

  constructor(to: Writable) {
    this.#to = to;
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  /** Strings are ASCII. */
  add(part: Buffer | string): void {
    this.#parts.push(part);
    this.#bytes += part.length;
  }

  flush(): void {
    const parts = this.#parts;
    if (parts.length === 0) return;
    const bytes = this.#bytes;
    const copied = bytes <= maxCopiedBytes;
    this.#parts = [];
    this.#bytes = 0;
    if (copied) {
      this.#to.write(parts.length === 1 ? parts[0] : joined(parts, bytes));
      return;
    }
    this.#to.cork();
    for (const part of parts) this.#to.write(part);
    this.#to.uncork();
  }
}

function joined(parts: readonly (Buffer | string)[], bytes: number): Buffer {
  const whole = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'string') whole.write(part, at, 'latin1');
    else whole.set(part, at);
    at += part.length;
  }
  return whole;
}
