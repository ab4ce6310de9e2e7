/**
 * Removes the input from what a view-only viewer sends to the display. The filter parses the client's half of RFB
 * (RFC 6143 §7.1 and §7.5, and https://github.com/rfbproto/rfbproto for the extensions) in chunks of any size, buffers
 * no message, and passes only whole messages of the kinds below.
 */
export class ViewOnlyFilter {
  readonly #header = Buffer.alloc(12);
  #filled = 0;
  #read: HeaderReader = readVersion;
  /** Bytes that are left of the message whose header has been read. */
  #rest = 0;
  #passing = false;
  readonly #onInput: ((input: ViewerInput) => void) | undefined;

  /** `onInput`: hears of input, which does not pass. */
  constructor(onInput?: (input: ViewerInput) => void) {
    this.#onInput = onInput;
  }

  /** The part of a chunk that passes. Throws `RfbError` when it cannot be parsed: close the connection then. */
  pass(chunk: Buffer): Buffer {
    const kept: Buffer[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (this.#rest > 0) {
        const end = Math.min(chunk.length, at + this.#rest);
        if (this.#passing) kept.push(chunk.subarray(at, end));
        this.#rest -= end - at;
        at = end;
      } else {
        this.#header.writeUInt8(chunk.readUInt8(at++), this.#filled++);
        const passed = this.#afterHeaderByte();
        if (passed) kept.push(passed);
      }
    }
    return kept.length === 1 ? (kept[0] as Buffer) : Buffer.concat(kept);
  }

  /** Returns the header when it is complete and passes. */
  #afterHeaderByte(): Buffer | undefined {
    const header = this.#header.subarray(0, this.#filled);
    const result = this.#read(header);
    if (result === undefined) return undefined;
    this.#filled = 0;
    this.#rest = result.rest;
    this.#passing = result.pass;
    if (result.input) this.#onInput?.(result.input);
    this.#read = result.next ?? readMessage;
    return result.pass ? Buffer.from(header) : undefined;
  }
}

/** What a person does in the live view. */
export type ViewerInput = 'pointer' | 'keys';

export class RfbError extends Error {}

interface HeaderResult {
  pass: boolean;
  /** Bytes after the header, which pass or do not pass with it. */
  rest: number;
  input?: ViewerInput | undefined;
  /** Reads the next header; default: a message's. */
  next?: HeaderReader;
}

/** Undefined if more bytes are needed. */
type HeaderReader = (header: Buffer) => HeaderResult | undefined;

/** Older versions have no choice of security type, and no current viewer uses them. */
const readVersion: HeaderReader = (header) => {
  if (header.length < 12) return undefined;
  const version = header.toString('latin1');
  if (version !== 'RFB 003.008\n' && version !== 'RFB 003.007\n') throw new RfbError('unknown version');
  return { pass: true, rest: 0, next: readSecurityType };
};

const readSecurityType: HeaderReader = ([type]) => {
  if (type !== 1) throw new RfbError('unknown security type');
  return { pass: true, rest: 0, next: readClientInit };
};

const readClientInit: HeaderReader = () => ({ pass: true, rest: 0 });

interface Kind {
  pass: boolean;
  input?: ViewerInput;
  headerLength: number;
  /** How many bytes follow the header. */
  rest?(header: Buffer): number;
}

const maxClipboardBytes = 2 ** 20;

const kinds: Readonly<Record<number, Kind>> = {
  // SetPixelFormat
  0: { pass: true, headerLength: 1, rest: () => 19 },
  // SetEncodings
  2: { pass: true, headerLength: 4, rest: (header) => 4 * header.readUInt16BE(2) },
  // FramebufferUpdateRequest
  3: { pass: true, headerLength: 1, rest: () => 9 },
  // KeyEvent
  4: { pass: false, input: 'keys', headerLength: 1, rest: () => 7 },
  // PointerEvent
  5: { pass: false, input: 'pointer', headerLength: 1, rest: () => 5 },
  // ClientCutText; the extended form has a negative length.
  6: { pass: false, headerLength: 8, rest: clipboardBytes },
  // EnableContinuousUpdates
  150: { pass: true, headerLength: 1, rest: () => 9 },
  // ClientFence, with which the server measures a client's speed.
  248: { pass: true, headerLength: 9, rest: fenceBytes },
  // xvp: shutdown, reboot, reset
  250: { pass: false, headerLength: 1, rest: () => 3 },
  // SetDesktopSize
  251: { pass: false, headerLength: 8, rest: (header) => 16 * header.readUInt8(6) },
  // QEMU client message; only the extended KeyEvent.
  255: { pass: false, input: 'keys', headerLength: 2, rest: extendedKeyBytes },
};

const readMessage: HeaderReader = (header) => {
  const kind = kinds[header.readUInt8(0)];
  if (!kind) throw new RfbError('unknown message');
  if (header.length < kind.headerLength) return undefined;
  return { pass: kind.pass, rest: kind.rest?.(header) ?? 0, input: kind.input };
};

function clipboardBytes(header: Buffer): number {
  const length = Math.abs(header.readInt32BE(4));
  if (length > maxClipboardBytes) throw new RfbError('oversized clipboard');
  return length;
}

function fenceBytes(header: Buffer): number {
  const length = header.readUInt8(8);
  if (length > 64) throw new RfbError('oversized fence');
  return length;
}

function extendedKeyBytes(header: Buffer): number {
  if (header.readUInt8(1) !== 0) throw new RfbError('unknown message');
  return 10;
}
