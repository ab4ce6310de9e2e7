/** What a reader does with a message that is not in memory yet, by its first bytes. */
export type Admission = 'take' | 'skip' | 'wait';

export interface FrameListener {
  /** Called for a message that has come in part. After `wait`, `resume` asks again. */
  admit(start: Buffer, bytes: number): Admission;
  /** The bytes are the listener's if the message was admitted; otherwise they are valid during the call only. */
  onMessage(message: Buffer, isOwn: boolean): void;
  onPing(payload: Buffer): void;
  onClose(code: number): void;
  /** The other side sends what a server of ours never does. */
  onMalformed(): void;
}

/** As much of a message as is needed to know whose answer or which event it is. */
const startBytes = 128;
const maxHeadBytes = 10;
/** RFC 6455, 5.5. */
const maxControlBytes = 125;
const opcodes = { text: 1, close: 8, ping: 9, pong: 10 } as const;

interface Frame {
  opcode: number;
  bytes: number;
  /** Where the payload goes; undefined if it is skipped. */
  payload: Buffer | undefined;
  /** How much of it has come. */
  filled: number;
}

/**
 * Reads a server's WebSocket frames (RFC 6455, 5.2). Memory for a message that does not come whole is taken only once
 * its first bytes and its length have been looked at, so that a page cannot fill the thread with what nobody wants.
 */
export class FrameReader {
  readonly #listener: FrameListener;
  /** Bytes that do not make a frame's beginning yet, or wait for memory. */
  #rest: Buffer = Buffer.alloc(0);
  #frame: Frame | undefined;
  #isWaiting = false;
  #isBroken = false;

  constructor(listener: FrameListener) {
    this.#listener = listener;
  }

  /** Whether nothing is to be read until `resume`. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  read(chunk: Buffer): void {
    if (this.#isBroken) return;
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    this.#rest = Buffer.alloc(0);
    while (bytes.length > 0 && !this.#isBroken) {
      const used = this.#frame ? this.#fill(this.#frame, bytes) : this.#begin(bytes);
      if (used === 0) break;
      bytes = bytes.subarray(used);
    }
    // Copied: the chunk would stay in memory with it.
    if (bytes.length > 0) this.#rest = Buffer.from(bytes);
  }

  resume(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.read(Buffer.alloc(0));
  }

  /** Returns how many bytes it has used; 0 if it needs more. */
  #begin(bytes: Buffer): number {
    const head = readHead(bytes);
    if (head === undefined) return 0;
    const { opcode, length, at, isPlain } = head;
    const isControl = opcode >= opcodes.close;
    if (!isPlain || (isControl ? length > maxControlBytes : opcode !== opcodes.text)) {
      this.#isBroken = true;
      this.#listener.onMalformed();
      return 0;
    }
    if (bytes.length >= at + length) {
      this.#deliver(opcode, bytes.subarray(at, at + length), false);
      return at + length;
    }
    if (isControl || bytes.length < at + Math.min(startBytes, length)) return 0;
    const admission = this.#listener.admit(bytes.subarray(at, at + startBytes), length);
    if (admission === 'wait') {
      this.#isWaiting = true;
      return 0;
    }
    const payload = admission === 'take' ? Buffer.allocUnsafeSlow(length) : undefined;
    this.#frame = { opcode, bytes: length, payload, filled: 0 };
    return at;
  }

  #fill(frame: Frame, bytes: Buffer): number {
    const count = Math.min(bytes.length, frame.bytes - frame.filled);
    if (frame.payload) bytes.copy(frame.payload, frame.filled, 0, count);
    frame.filled += count;
    if (frame.filled === frame.bytes) {
      this.#frame = undefined;
      if (frame.payload) this.#deliver(frame.opcode, frame.payload, true);
    }
    return count;
  }

  #deliver(opcode: number, payload: Buffer, isOwn: boolean): void {
    if (opcode === opcodes.text) this.#listener.onMessage(payload, isOwn);
    else if (opcode === opcodes.ping) this.#listener.onPing(payload);
    else if (opcode === opcodes.close)
      this.#listener.onClose(payload.length >= 2 ? payload.readUInt16BE() : 1005);
  }
}

/** Returns undefined if the head is not there as a whole. `isPlain`: final, not masked, no extension. */
function readHead(
  bytes: Buffer,
): { opcode: number; length: number; at: number; isPlain: boolean } | undefined {
  if (bytes.length < 2) return undefined;
  const [first = 0, second = 0] = bytes;
  const isPlain = (first & 0xf0) === 0x80 && (second & 0x80) === 0;
  const opcode = first & 0x0f;
  const short = second & 0x7f;
  if (short < 126) return { opcode, length: short, at: 2, isPlain };
  if (short === 126)
    return bytes.length < 4 ? undefined : { opcode, length: bytes.readUInt16BE(2), at: 4, isPlain };
  if (bytes.length < maxHeadBytes) return undefined;
  return { opcode, length: Number(bytes.readBigUInt64BE(2)), at: maxHeadBytes, isPlain };
}

/**
 * Writes a client's frame. A mask is required, and its purpose is to keep scripts in browsers from choosing the bytes on
 * the wire (RFC 6455, 10.3). Here both ends are in one process, so the mask is zero and costs nothing.
 */
export function clientFrame(opcode: 'text' | 'close' | 'pong', payload: Buffer): Buffer[] {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 6 : length < 65_536 ? 8 : 14);
  head[0] = 0x80 | opcodes[opcode];
  if (length < 126) head[1] = 0x80 | length;
  else if (length < 65_536) {
    head[1] = 0xfe;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 0xff;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return length === 0 ? [head] : [head, payload];
}
