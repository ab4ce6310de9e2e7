import { unmask } from './unmask.ts';

/** Who takes what a client sends. */
export interface FrameSink {
  /** A whole message of text. */
  text(message: Buffer): void;
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
  readonly #key = new Uint8Array(4);
  /** What is still to come of a frame that is not ours. */
  #passing = 0;
  /** After it there is nothing. */
  #isLast = false;
  #isFragmented = false;
  #isClosed = false;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  read(chunk: Buffer): void {
    const bytes = this.#begun ? Buffer.concat([this.#begun, chunk]) : chunk;
    this.#begun = undefined;
    let at = 0;
    while (at < bytes.length && !this.#isClosed) {
      if (this.#passing > 0) at = this.#pass(bytes, at);
      else if (this.#missing > 0) at = this.#collect(bytes, at);
      else {
        const payload = this.#readHead(bytes, at);
        if (payload === undefined) {
          this.#begun = Buffer.from(bytes.subarray(at));
          return;
        }
        at = payload;
      }
    }
  }

  /** Nothing of what comes now counts. */
  close(): void {
    this.#isClosed = true;
  }

  /** Answers where to read on; undefined: there is less than a head. */
  #readHead(bytes: Buffer, at: number): number | undefined {
    const available = bytes.length - at;
    if (available < 2) return undefined;
    const first = bytes[at] as number;
    const second = bytes[at + 1] as number;
    let length = second & 0x7f;
    let headBytes = 6;
    if (length === 126) {
      headBytes = 8;
      if (available < headBytes) return undefined;
      length = bytes.readUInt16BE(at + 2);
    } else if (length === 127) {
      headBytes = maxHeadBytes;
      if (available < headBytes) return undefined;
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
    if (available < headBytes) return undefined;
    const start = at + headBytes;
    for (let i = 0; i < 4; i++) this.#key[i] = bytes[start - 4 + i] as number;
    const end = start + length;
    if (end > bytes.length) {
      this.#missing = length;
      return start;
    }
    const message = bytes.subarray(start, end);
    unmask(message, this.#key);
    this.#sink.text(message);
    return end;
  }

  #collect(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#missing);
    this.#parts.push(Buffer.from(bytes.subarray(at, end)));
    this.#missing -= end - at;
    if (this.#missing > 0) return end;
    const message = Buffer.concat(this.#parts);
    this.#parts = [];
    unmask(message, this.#key);
    this.#sink.text(message);
    return end;
  }

  #pass(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#passing);
    this.#passing -= end - at;
    if (this.#passing === 0 && this.#isLast) this.#isClosed = true;
    this.#sink.other(bytes.subarray(at, end));
    return end;
  }
}
