import { unmask } from './unmask.ts';

/** Who takes what a client sends. */
export interface FrameSink {
  /** A whole message of text: the bytes from start to end. */
  text(bytes: Buffer, start: number, end: number): void;
  /** Bytes of all other frames, as they came: control frames, fragments, binary ones, and what is no frame. */
  other(bytes: Buffer): void;
}

const finalText = 0x81;
const final = 0x80;
const reserved = 0x70;
const masked = 0x80;
const isControl = 0x08;
const close = 0x88;

const maxHeadBytes = 14;
const lessThanHead = -1;

/**
 * Reads frames of a WebSocket client (RFC 6455, 5.2) and takes those out that nearly all are: whole messages of
 * text. The rest is for somebody who knows every case. What it keeps of a chunk it copies: the chunk is the reader's to
 * fill again.
 */
export class FrameReader {
  readonly #sink: FrameSink;
  /** The beginning of a frame, less than its head. */
  #begun: Buffer | undefined;
  /** Of a text frame: its payload so far, what is missing of it, and the key it is masked with. */
  #parts: Buffer[] = [];
  #missing = 0;
  #key = 0;
  /** What is still to come of a frame that is not ours. */
  #passing = 0;
  /** After it there is nothing. */
  #isLast = false;
  #isFragmented = false;
  #isClosed = false;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** So many bytes of the chunk. */
  read(chunk: Buffer, length: number): void {
    const begun = this.#begun;
    if (begun) {
      this.#begun = undefined;
      const bytes = Buffer.concat([begun, chunk.subarray(0, length)]);
      this.#read(bytes, bytes.length);
    } else this.#read(chunk, length);
  }

  /** Nothing of what comes now counts. */
  close(): void {
    this.#isClosed = true;
  }

  #read(bytes: Buffer, length: number): void {
    let at = 0;
    while (at < length && !this.#isClosed) {
      if (this.#passing > 0) at = this.#pass(bytes, at, length);
      else if (this.#missing > 0) at = this.#collect(bytes, at, length);
      else {
        const next = this.#readHead(bytes, at, length);
        if (next === lessThanHead) {
          this.#begun = Buffer.from(bytes.subarray(at, length));
          return;
        }
        at = next;
      }
    }
  }

  /** Answers where to read on. */
  #readHead(bytes: Buffer, at: number, readable: number): number {
    const available = readable - at;
    if (available < 2) return lessThanHead;
    const first = bytes[at] as number;
    const second = bytes[at + 1] as number;
    let length = second & 0x7f;
    let headBytes = 6;
    if (length === 126) {
      headBytes = 8;
      if (available < headBytes) return lessThanHead;
      length = bytes.readUInt16BE(at + 2);
    } else if (length === 127) {
      headBytes = maxHeadBytes;
      if (available < headBytes) return lessThanHead;
      length = Number(bytes.readBigUInt64BE(at + 2));
    }
    if ((second & masked) === 0 || (first & reserved) !== 0 || !Number.isSafeInteger(length)) {
      this.#passing = Number.POSITIVE_INFINITY; // Not ours to complain about.
      return at;
    }
    if (first !== finalText || this.#isFragmented || length === 0) {
      if ((first & isControl) === 0) this.#isFragmented = (first & final) === 0;
      this.#passing = headBytes + length;
      this.#isLast = first === close;
      return at;
    }
    if (available < headBytes) return lessThanHead;
    const start = at + headBytes;
    const key = bytes.readInt32LE(start - 4);
    const end = start + length;
    if (end > readable) {
      this.#key = key;
      this.#missing = length;
      return start;
    }
    unmask(bytes, start, end, key);
    this.#sink.text(bytes, start, end);
    return end;
  }

  #collect(bytes: Buffer, at: number, length: number): number {
    const end = Math.min(length, at + this.#missing);
    this.#parts.push(Buffer.from(bytes.subarray(at, end)));
    this.#missing -= end - at;
    if (this.#missing > 0) return end;
    const message = Buffer.concat(this.#parts);
    this.#parts = [];
    unmask(message, 0, message.length, this.#key);
    this.#sink.text(message, 0, message.length);
    return end;
  }

  #pass(bytes: Buffer, at: number, length: number): number {
    const end = Math.min(length, at + this.#passing);
    this.#passing -= end - at;
    if (this.#passing === 0 && this.#isLast) this.#isClosed = true;
    this.#sink.other(bytes.subarray(at, end));
    return end;
  }
}
