import { maxHeadBytes, writeTextFrameHead } from '../relay/text-frame.ts';
import { overheadBytes, release, type Share } from './byte-budget.ts';
import { mayTryAgain, write } from './libc.ts';

/** What is larger goes out by itself, uncopied. */
const maxCopiedBytes = 64 * 1024;

/** Up to here copying by hand costs less than a call. */
const maxByHand = 256;

/** What may be left to write of a frame when all that comes after it is dropped. */
const maxRestBytes = 2 ** 20;

/** Written entries at the beginning of the list are dropped when there are so many. */
const maxWritten = 1024;

interface Pending {
  bytes: Uint8Array;
  /** Nothing that began in it, or before, goes on after it. */
  endsFrame: boolean;
}

export interface OutletOptions {
  descriptor: number;
  /** Pays for what waits. */
  share: Share;
  /** Told when something waits for room, and when nothing does any more. */
  onPending(isPending: boolean): void;
  /** It cannot go on. */
  onFault(error: unknown): void;
}

/** Where bytes go out of the process: at once where there is room, and the rest when there is. */
export class Outlet {
  readonly descriptor: number;
  readonly onFault: (error: unknown) => void;
  readonly #share: Share;
  readonly #onPending: (isPending: boolean) => void;
  #pending: Pending[] = [];
  /** How many of those have been written. */
  #written = 0;
  #pendingBytes = 0;
  #isBroken = false;

  constructor({ descriptor, share, onPending, onFault }: OutletOptions) {
    this.descriptor = descriptor;
    this.onFault = onFault;
    this.#share = share;
    this.#onPending = onPending;
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** So many of the bytes, which may change when it has returned, except where they are given away. */
  put(bytes: Uint8Array, length: number, endsFrame: boolean, isGiven: boolean): void {
    if (this.#isBroken) return;
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

  /** Called when there is room again. */
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
      this.#dropWritten();
      next = this.#pending[this.#written];
    }
    this.#forget(0);
    this.#onPending(false);
  }

  /** Drops what waits, except for the rest of a frame that has been begun. False: that is too much to keep. */
  cutShort(): boolean {
    this.#dropWritten(0);
    let [kept, keptBytes] = [0, 0];
    for (const { bytes, endsFrame } of this.#pending) {
      kept += 1;
      keptBytes += bytes.length;
      if (endsFrame || keptBytes > maxRestBytes) break;
    }
    const isKept = keptBytes <= maxRestBytes;
    this.#forget(isKept ? kept : 0);
    return isKept;
  }

  /** What waits is not wanted any more, and nothing that comes. */
  abandon(): void {
    this.#isBroken = true;
    this.#forget(0);
  }

  /** All but so many of those that wait. */
  #forget(kept: number): void {
    this.#dropWritten(0);
    for (const { bytes } of this.#pending.splice(kept)) {
      this.#pendingBytes -= bytes.length;
      this.#share.add(-bytes.length - overheadBytes);
      release(bytes);
    }
  }

  #dropWritten(most = maxWritten): void {
    if (this.#written <= most) return;
    this.#pending.splice(0, this.#written);
    this.#written = 0;
  }

  /** Who reads at the other end is gone where this breaks; that is told where it is read from. */
  #write(bytes: Uint8Array, length: number): number {
    const sent = write(this.descriptor, bytes, length);
    if (sent >= 0) return sent;
    if (!mayTryAgain()) this.#isBroken = true;
    return 0;
  }
}

const zeroByte = Buffer.alloc(1);

/** Gathers what goes to one outlet in one turn into one write. */
export class Batch {
  readonly #bytes = Buffer.allocUnsafeSlow(maxCopiedBytes + maxHeadBytes);
  #length = 0;
  #to: Outlet | undefined;

  add(outlet: Outlet, bytes: Buffer): void {
    this.#makeRoom(outlet, bytes.length);
    this.#put(outlet, bytes, 0, bytes.length);
  }

  /** As a message of the DevTools pipe, perhaps with another ending. */
  addMessage(outlet: Outlet, bytes: Buffer, start: number, end: number, ending?: Buffer): void {
    this.#makeRoom(outlet, end - start + (ending?.length ?? 0) + 1);
    this.#put(outlet, bytes, start, end);
    if (ending) this.#put(outlet, ending, 0, ending.length);
    this.#put(outlet, zeroByte, 0, 1);
  }

  /** As a WebSocket message of text. */
  addText(outlet: Outlet, bytes: Buffer, start: number, end: number): void {
    this.#makeRoom(outlet, end - start + maxHeadBytes);
    this.#to = outlet;
    this.#length += writeTextFrameHead(this.#bytes, this.#length, end - start);
    this.#put(outlet, bytes, start, end);
  }

  flush(): void {
    this.#flush(true);
  }

  #flush(endsFrame: boolean): void {
    if (this.#length === 0) return;
    const to = this.#to as Outlet;
    const length = this.#length;
    this.#length = 0;
    this.#to = undefined;
    try {
      to.put(this.#bytes, length, endsFrame, false);
    } catch (error) {
      to.onFault(error);
    }
  }

  #makeRoom(outlet: Outlet, bytes: number): void {
    if (this.#to !== outlet || this.#length + bytes > maxCopiedBytes) this.flush();
  }

  #put(outlet: Outlet, from: Buffer, start: number, end: number): void {
    const length = end - start;
    if (length > maxCopiedBytes) {
      this.#flush(false);
      outlet.put(from.subarray(start, end), length, true, isWhole(from, start, end));
      return;
    }
    this.#to = outlet;
    const to = this.#bytes;
    const at = this.#length;
    if (length > maxByHand) from.copy(to, at, start, end);
    else for (let i = 0; i < length; i++) to[at + i] = from[start + i] as number;
    this.#length = at + length;
  }
}

/** What a message may be shortened by when its session is taken off. */
const maxShortened = 64;

/**
 * Whether the bytes are a message that has its memory to itself, and so may be kept as they are: nobody looks at one
 * after it was passed on. What is a part of a larger read is filled again.
 */
function isWhole(from: Buffer, start: number, end: number): boolean {
  return start === 0 && end > from.length - maxShortened && from.length === from.buffer.byteLength;
}
