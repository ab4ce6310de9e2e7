import type { Share } from '../../memory/byte-budget.ts';
import { MessageBuffer } from '../channel/message-buffer.ts';
import { maxMessageBytes, type Refusal, refusals } from '../refusals.ts';
import { rotateKey, unmask } from './unmask.ts';

/** Takes what a client sends. Each method may stop the reader. */
export interface FrameSink {
  /** Takes a whole text message: the bytes from start to end. */
  text(bytes: Buffer, start: number, end: number): void;
  /** Takes bytes of control frames, as they came. */
  control(bytes: Buffer): void;
  /** Closes the client. */
  refuse(refusal: Refusal): void;
}

const finalText = 0x81;
const final = 0x80;
const reserved = 0x70;
const masked = 0x80;
const opcodeBits = 0x0f;
const [continuation, binary, close, pong] = [0, 2, 8, 10] as const;
const maxControlBytes = 125;

const maxHeadBytes = 14;
const incompleteHead = -1;

/**
 * - messages: text messages and control frames are passed on;
 * - controlOnly: text is skipped, and costs nothing;
 * - closed: everything is ignored.
 */
type ReaderMode = 'messages' | 'controlOnly' | 'closed';

/**
 * Reads the frames of a WebSocket client (RFC 6455, 5.2) and assembles text messages. Control frames go to the sink as
 * they are. All others are refused by their head, before anything of them is kept. What is kept of a chunk is copied,
 * because the chunk is overwritten by the next read.
 */
export class FrameReader {
  readonly #sink: FrameSink;
  readonly #share: Share;
  /** The start of a frame whose head is not complete yet. */
  #begun: Buffer | undefined;
  /** A message in several frames, or of which not all has come. */
  readonly #message: MessageBuffer;
  /** How much is to come of a text frame, the mask for that, and whether its message ends with it. */
  #missing = 0;
  #key = 0;
  #isFinal = false;
  /** How much is to come of a control frame, and of a frame that is skipped. */
  #passing = 0;
  #skipping = 0;
  /** Whether the control frame is a close: nothing counts after it. */
  #isCloseFrame = false;
  #isFragmented = false;
  #isStopped = false;
  /** What came while it was stopped. The bytes before `at` have been read. */
  #unread: { bytes: Buffer; at: number } | undefined;
  #mode: ReaderMode = 'messages';

  constructor(sink: FrameSink, share: Share) {
    this.#sink = sink;
    this.#share = share;
    this.#message = new MessageBuffer(share);
  }

  /** Reads the first `length` bytes of the chunk. */
  read(chunk: Buffer, length: number): void {
    if (this.#isStopped) {
      const { bytes, at } = this.#unread ?? { bytes: Buffer.alloc(0), at: 0 };
      this.#keepUnread(Buffer.concat([bytes.subarray(at), chunk.subarray(0, length)]), 0);
      return;
    }
    const begun = this.#begun;
    if (begun) {
      this.#begun = undefined;
      const bytes = Buffer.concat([begun, chunk.subarray(0, length)]);
      this.#readFrom(bytes, 0, bytes.length, true);
    } else this.#readFrom(chunk, 0, length, false);
  }

  /** Passes nothing on until `goOn`. */
  stop(): void {
    this.#isStopped = true;
  }

  goOn(): void {
    this.#isStopped = false;
    const unread = this.#unread;
    if (!unread) return;
    this.#unread = undefined;
    this.#share.add(-unread.bytes.length);
    this.#readFrom(unread.bytes, unread.at, unread.bytes.length, true);
  }

  /** Skips messages from now on. Control frames still pass, so that a close is seen. */
  ignoreMessages(): void {
    if (this.#mode === 'messages') this.#mode = 'controlOnly';
    this.#skipping += this.#missing;
    this.#missing = 0;
    this.#message.clear();
  }

  /** Ignores everything from now on. */
  close(): void {
    this.#mode = 'closed';
    this.#message.clear();
    if (this.#unread) this.#share.add(-this.#unread.bytes.length);
    this.#unread = undefined;
  }

  /** `isOwn`: nobody overwrites these bytes, so they need not be copied to be kept. */
  #readFrom(bytes: Buffer, from: number, length: number, isOwn: boolean): void {
    let at = from;
    while (at < length && this.#mode !== 'closed') {
      if (this.#isStopped) {
        this.#keepUnread(isOwn ? bytes : Buffer.from(bytes.subarray(at, length)), isOwn ? at : 0);
        return;
      }
      if (this.#passing > 0) at = this.#pass(bytes, at, length);
      else if (this.#missing > 0) at = this.#collect(bytes, at, length);
      else if (this.#skipping > 0) {
        const end = Math.min(length, at + this.#skipping);
        this.#skipping -= end - at;
        at = end;
      } else {
        const next = this.#readHead(bytes, at, length);
        if (next === incompleteHead) {
          this.#begun = Buffer.from(bytes.subarray(at, length));
          return;
        }
        at = next;
      }
    }
  }

  /** Returns where to read on. */
  #readHead(bytes: Buffer, at: number, readable: number): number {
    const available = readable - at;
    if (available < 2) return incompleteHead;
    const first = bytes[at] as number;
    const second = bytes[at + 1] as number;
    let length = second & 0x7f;
    let headBytes = 6;
    if (length === 126) {
      headBytes = 8;
      if (available < headBytes) return incompleteHead;
      length = bytes.readUInt16BE(at + 2);
    } else if (length === 127) {
      headBytes = maxHeadBytes;
      if (available < headBytes) return incompleteHead;
      length = Number(bytes.readBigUInt64BE(at + 2));
    }
    if ((second & masked) === 0 || (first & reserved) !== 0) return this.#break(readable);
    if (first !== finalText || this.#isFragmented || this.#mode !== 'messages') {
      const next = this.#readOther(first, headBytes, length, at, readable);
      if (next !== undefined) return next;
    }
    if (available < headBytes) return incompleteHead;
    const start = at + headBytes;
    const key = bytes.readInt32LE(start - 4);
    const end = start + length;
    if (first === finalText && end <= readable) {
      unmask(bytes, start, end, key);
      this.#sink.text(bytes, start, end);
      return end;
    }
    this.#begin(first, length, key);
    return start;
  }

  /** Reads the head of a frame that is not a whole message. Returns undefined for a part of a text message. */
  #readOther(
    first: number,
    headBytes: number,
    length: number,
    at: number,
    readable: number,
  ): number | undefined {
    const opcode = first & opcodeBits;
    const isFinal = (first & final) !== 0;
    if (opcode >= close) {
      if (opcode > pong || !isFinal || length > maxControlBytes) return this.#break(readable);
      this.#passing = headBytes + length;
      this.#isCloseFrame = opcode === close;
      return at;
    }
    if (opcode > binary || (opcode === continuation) !== this.#isFragmented) return this.#break(readable);
    if (this.#mode !== 'messages' || opcode === binary) {
      this.#isFragmented = !isFinal;
      this.#skipping = headBytes + length;
      if (this.#mode === 'messages') this.#refuse(refusals.binary);
      return at;
    }
    return undefined;
  }

  /** Begins a text frame that is not complete yet, or that is only a part of its message. */
  #begin(first: number, length: number, key: number): void {
    this.#isFinal = (first & final) !== 0;
    this.#isFragmented = !this.#isFinal;
    this.#missing = length;
    this.#key = key;
    if (this.#message.length + length > maxMessageBytes) this.#refuse(refusals.tooLarge);
    else if (!this.#share.fits(length)) this.#refuse(refusals.noRoom);
    else if (length === 0 && this.#isFinal) this.#finish();
  }

  #collect(bytes: Buffer, at: number, length: number): number {
    const end = Math.min(length, at + this.#missing);
    unmask(bytes, at, end, this.#key);
    const missing = this.#isFinal ? this.#missing : undefined;
    if (!this.#message.append(bytes, at, end, missing)) {
      this.#refuse(refusals.noRoom);
      return at;
    }
    this.#missing -= end - at;
    this.#key = rotateKey(this.#key, end - at);
    if (this.#missing === 0 && this.#isFinal) this.#finish();
    return end;
  }

  #finish(): void {
    const message = this.#message.take();
    this.#sink.text(message, 0, message.length);
  }

  #pass(bytes: Buffer, at: number, length: number): number {
    const end = Math.min(length, at + this.#passing);
    this.#passing -= end - at;
    if (this.#passing === 0 && this.#isCloseFrame) this.#mode = 'closed';
    this.#sink.control(bytes.subarray(at, end));
    return end;
  }

  /** Gives up: where the next frame begins is not known any more. */
  #break(readable: number): number {
    this.close();
    this.#sink.refuse(refusals.malformed);
    return readable;
  }

  #keepUnread(bytes: Buffer, at: number): void {
    this.#share.add(bytes.length - (this.#unread?.bytes.length ?? 0));
    this.#unread = { bytes, at };
  }

  #refuse(refusal: Refusal): void {
    this.ignoreMessages();
    this.#sink.refuse(refusal);
  }
}
