/**
 * What a viewer that may only watch sends to the display, without its input. The filter follows the client's
 * half of RFB (RFC 6143 §7.1 and §7.5, and https://github.com/rfbproto/rfbproto for the extensions) over chunks of
 * any size, keeps no message, and lets only whole messages of the kinds below through. So whatever a client
 * writes, the display reads nothing else.
 */
export class ViewOnlyFilter {
  readonly #header = Buffer.alloc(12);
  #filled = 0;
  #read: HeaderReader = readVersion;
  /** Of the message whose header has been read. */
  #rest = 0;
  #passing = false;

  /** The part of a chunk that may go on. Throws `RfbError` for what is not to be understood; all is over then. */
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

  /** The header, when it is complete and passes. */
  #afterHeaderByte(): Buffer | undefined {
    const header = this.#header.subarray(0, this.#filled);
    const verdict = this.#read(header);
    if (verdict === undefined) return undefined;
    this.#filled = 0;
    this.#rest = verdict.rest;
    this.#passing = verdict.pass;
    this.#read = verdict.next ?? readMessage;
    return verdict.pass ? Buffer.from(header) : undefined;
  }
}

export class RfbError extends Error {}

interface Verdict {
  pass: boolean;
  /** Bytes that follow the header and share its fate. */
  rest: number;
  /** How to read what comes after it; a message, unless it says otherwise. */
  next?: HeaderReader;
}

/** Undefined: more bytes are needed to tell. */
type HeaderReader = (header: Buffer) => Verdict | undefined;

/** Older versions choose no security type; no viewer of this century speaks them. */
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
  4: { pass: false, headerLength: 1, rest: () => 7 },
  // PointerEvent
  5: { pass: false, headerLength: 1, rest: () => 5 },
  // ClientCutText; the extended form has a negative length.
  6: { pass: false, headerLength: 8, rest: clipboardBytes },
  // EnableContinuousUpdates
  150: { pass: true, headerLength: 1, rest: () => 9 },
  // ClientFence, by which the server measures a client's speed.
  248: { pass: true, headerLength: 9, rest: fenceBytes },
  // xvp: shutdown, reboot, reset
  250: { pass: false, headerLength: 1, rest: () => 3 },
  // SetDesktopSize
  251: { pass: false, headerLength: 8, rest: (header) => 16 * header.readUInt8(6) },
  // QEMU client message; of its kinds only the extended KeyEvent.
  255: { pass: false, headerLength: 2, rest: extendedKeyBytes },
};

const readMessage: HeaderReader = (header) => {
  const kind = kinds[header.readUInt8(0)];
  if (!kind) throw new RfbError('unknown message');
  if (header.length < kind.headerLength) return undefined;
  return { pass: kind.pass, rest: kind.rest?.(header) ?? 0 };
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
