import { overheadBytes, release, type Share } from '../../memory/byte-budget.ts';
import { maxHeadBytes, writeTextFrameHead } from '../websocket/text-frame.ts';
import { type Channel, channelEnded } from './channel.ts';

/** Larger messages are written by themselves, without a copy. */
const maxCopiedBytes = 64 * 1024;

/** Up to this length a loop is faster than a call of `copy`. */
const maxLoopBytes = 256;

/** What may be left to write of a frame when everything after it is dropped. */
const maxRestBytes = 2 ** 20;

/** Written entries are removed from the front of the list when there are this many. */
const maxWritten = 1024;

interface Pending {
  bytes: Uint8Array;
  /** Whether a frame ends with these bytes. */
  endsFrame: boolean;
}

export interface OutletOptions {
  channel: Channel;
  /** Pays for what waits to be written. */
  share: Share;
  /** Called when something starts to wait for room, and when nothing does any more. */
  onPending(isPending: boolean): void;
  onError(error: unknown): void;
}

/**
 * - open: writes what it is given;
 * - ending: writes what waits, then ends the channel's writing side;
 * - ended: that is done;
 * - broken: nobody reads at the other end, or nobody should. What waits is dropped.
 */
type OutletState = 'open' | 'ending' | 'ended' | 'broken';

/** Writes to a channel: at once where there is room, and the rest when there is. */
export class Outlet {
  readonly onError: (error: unknown) => void;
  readonly #channel: Channel;
  readonly #share: Share;
  readonly #onPending: (isPending: boolean) => void;
  #pending: Pending[] = [];
  /** How many of those have been written. */
  #written = 0;
  #pendingBytes = 0;
  #state: OutletState = 'open';

  constructor({ channel, share, onPending, onError }: OutletOptions) {
    this.onError = onError;
    this.#channel = channel;
    this.#share = share;
    this.#onPending = onPending;
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Writes the first `length` bytes. The caller may change them afterwards, unless they are given away. */
  put(bytes: Uint8Array, length: number, endsFrame: boolean, isGiven: boolean): void {
    if (this.#state !== 'open') return;
    const sent = this.#pendingBytes === 0 ? this.#write(bytes, length) : 0;
    if (sent === length || this.#isBroken) {
      if (isGiven) release(bytes);
      return;
    }
    const isFirst = this.#pendingBytes === 0;
    const rest = bytes.subarray(sent, length);
    this.#pending.push({ bytes: isGiven ? rest : new Uint8Array(rest), endsFrame });
    this.#pendingBytes += rest.length;
    this.#share.add(rest.length + overheadBytes);
    if (isFirst) this.#onPending(true);
  }

  /** Writes what waits. Call when there is room again. */
  drain(): void {
    let next = this.#pending[this.#written];
    while (next) {
      const { length } = next.bytes;
      const sent = this.#write(next.bytes, length);
      this.#pendingBytes -= sent;
      this.#share.add(-sent);
      if (sent < length) {
        if (this.#isBroken) break;
        next.bytes = next.bytes.subarray(sent);
        return;
      }
      this.#share.add(-overheadBytes);
      release(next.bytes);
      this.#written += 1;
      this.#removeWritten();
      next = this.#pending[this.#written];
    }
    this.#drop(0);
    this.#onPending(false);
    if (this.#state === 'ending') this.#endWriting();
  }

  /** Drops what waits, except for the rest of a frame that has been begun. Returns false if that is too much to keep. */
  cutShort(): boolean {
    this.#removeWritten(0);
    let [kept, keptBytes] = [0, 0];
    for (const { bytes, endsFrame } of this.#pending) {
      kept += 1;
      keptBytes += bytes.length;
      if (endsFrame || keptBytes > maxRestBytes) break;
    }
    const isKept = keptBytes <= maxRestBytes;
    this.#drop(isKept ? kept : 0);
    return isKept;
  }

  /** Ends the channel's writing side after what waits. */
  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'ending';
    if (this.#pendingBytes === 0) this.#endWriting();
  }

  /** Drops what waits and what comes. */
  abandon(): void {
    this.#state = 'broken';
    this.#drop(0);
  }

  get #isBroken(): boolean {
    return this.#state === 'broken';
  }

  #endWriting(): void {
    this.#state = 'ended';
    this.#channel.endWriting();
  }

  /** Drops all but the first `kept` of those that wait. */
  #drop(kept: number): void {
    this.#removeWritten(0);
    for (const { bytes } of this.#pending.splice(kept)) {
      this.#pendingBytes -= bytes.length;
      this.#share.add(-bytes.length - overheadBytes);
      release(bytes);
    }
  }

  #removeWritten(most = maxWritten): void {
    if (this.#written <= most) return;
    this.#pending.splice(0, this.#written);
    this.#written = 0;
  }

  /** A reader that is gone is reported where its channel is read from. */
  #write(bytes: Uint8Array, length: number): number {
    const sent = this.#channel.write(bytes, length);
    if (sent !== channelEnded) return sent;
    this.#state = 'broken';
    return 0;
  }
}

const zeroByte = Buffer.alloc(1);

/** Collects consecutive messages to the same outlet into one write. */
export class WriteBatch {
  readonly #bytes = Buffer.allocUnsafeSlow(maxCopiedBytes + maxHeadBytes);
  #length = 0;
  #outlet: Outlet | undefined;

  add(outlet: Outlet, bytes: Buffer): void {
    this.#makeRoom(outlet, bytes.length);
    this.#put(outlet, bytes, 0, bytes.length);
  }

  /** Adds a message of the DevTools pipe, with `ending` before its zero byte. */
  addMessage(outlet: Outlet, bytes: Buffer, start: number, end: number, ending?: Buffer): void {
    this.#makeRoom(outlet, end - start + (ending?.length ?? 0) + 1);
    this.#put(outlet, bytes, start, end);
    if (ending) this.#put(outlet, ending, 0, ending.length);
    this.#put(outlet, zeroByte, 0, 1);
  }

  /** Adds a WebSocket text message. */
  addText(outlet: Outlet, bytes: Buffer, start: number, end: number): void {
    this.#makeRoom(outlet, end - start + maxHeadBytes);
    this.#outlet = outlet;
    this.#length += writeTextFrameHead(this.#bytes, this.#length, end - start);
    this.#put(outlet, bytes, start, end);
  }

  flush(): void {
    this.#flush(true);
  }

  #flush(endsFrame: boolean): void {
    if (this.#length === 0) return;
    const outlet = this.#outlet as Outlet;
    const length = this.#length;
    this.#length = 0;
    this.#outlet = undefined;
    try {
      outlet.put(this.#bytes, length, endsFrame, false);
    } catch (error) {
      outlet.onError(error);
    }
  }

  #makeRoom(outlet: Outlet, bytes: number): void {
    if (this.#outlet !== outlet || this.#length + bytes > maxCopiedBytes) this.flush();
  }

  #put(outlet: Outlet, from: Buffer, start: number, end: number): void {
    const length = end - start;
    if (length > maxCopiedBytes) {
      this.#flush(false);
      outlet.put(from.subarray(start, end), length, true, ownsMemory(from, start, end));
      return;
    }
    this.#outlet = outlet;
    const to = this.#bytes;
    const at = this.#length;
    if (length > maxLoopBytes) from.copy(to, at, start, end);
    else for (let i = 0; i < length; i++) to[at + i] = from[start + i] as number;
    this.#length = at + length;
  }
}

/** What a message may be shortened by when its session id is removed. */
const maxShortened = 64;

/**
 * Whether the bytes are a message that has its memory to itself, and so may be kept without a copy: nobody looks at a
 * message after it was passed on. A part of a larger read is overwritten by the next one.
 */
function ownsMemory(from: Buffer, start: number, end: number): boolean {
  return start === 0 && end > from.length - maxShortened && from.length === from.buffer.byteLength;
}
