import { maxHeadBytes, writeTextFrameHead } from '../relay/text-frame.ts';
import { mayTryAgain, write } from './libc.ts';

/** What is larger goes out by itself, uncopied. */
const maxCopiedBytes = 64 * 1024;

/** Up to here copying by hand costs less than a call. */
const maxByHand = 256;

/** Where bytes go out of the process: at once where there is room, and the rest when there is. */
export class Outlet {
  readonly descriptor: number;
  readonly #onPending: (isPending: boolean) => void;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #isBroken = false;

  /** Told when something waits for room, and when nothing does any more. */
  constructor(descriptor: number, onPending: (isPending: boolean) => void) {
    this.descriptor = descriptor;
    this.#onPending = onPending;
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** So many of the bytes, which may change when it has returned. */
  put(bytes: Uint8Array, length: number): void {
    if (this.#isBroken) return;
    const sent = this.#pendingBytes === 0 ? this.#write(bytes, length) : 0;
    if (sent === length || this.#isBroken) return;
    const isFirst = this.#pendingBytes === 0;
    this.#pending.push(new Uint8Array(bytes.subarray(sent, length)));
    this.#pendingBytes += length - sent;
    if (isFirst) this.#onPending(true);
  }

  /** Called when there is room again. */
  drain(): void {
    let next = this.#pending[0];
    while (next) {
      const sent = this.#write(next, next.length);
      this.#pendingBytes -= sent;
      if (sent < next.length) {
        if (this.#isBroken) break;
        this.#pending[0] = next.subarray(sent);
        return;
      }
      this.#pending.shift();
      next = this.#pending[0];
    }
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#onPending(false);
  }

  /** What waits is not wanted any more, and nothing that comes. */
  abandon(): void {
    this.#isBroken = true;
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  /** Who reads at the other end is gone where this breaks; that is told where it is read from. */
  #write(bytes: Uint8Array, length: number): number {
    const sent = write(this.descriptor, bytes, length);
    if (sent >= 0) return sent;
    if (!mayTryAgain()) this.#isBroken = true;
    return 0;
  }
}

/** Gathers what goes to one outlet in one turn into one write. */
export class Batch {
  readonly #bytes = Buffer.allocUnsafeSlow(maxCopiedBytes + maxHeadBytes);
  #length = 0;
  #to: Outlet | undefined;

  add(outlet: Outlet, bytes: Buffer): void {
    this.#makeRoom(outlet, bytes.length);
    this.#put(outlet, bytes, 0, bytes.length);
  }

  /** As a message of the DevTools pipe. */
  addMessage(outlet: Outlet, bytes: Buffer, start: number, end: number): void {
    this.#makeRoom(outlet, end - start + 1);
    this.#put(outlet, bytes, start, end);
    this.#to = outlet;
    this.#bytes[this.#length] = 0;
    this.#length += 1;
  }

  /** As a WebSocket message of text. */
  addText(outlet: Outlet, bytes: Buffer, start: number, end: number): void {
    this.#makeRoom(outlet, end - start + maxHeadBytes);
    this.#to = outlet;
    this.#length += writeTextFrameHead(this.#bytes, this.#length, end - start);
    this.#put(outlet, bytes, start, end);
  }

  flush(): void {
    if (this.#length === 0) return;
    const to = this.#to as Outlet;
    const length = this.#length;
    this.#length = 0;
    this.#to = undefined;
    to.put(this.#bytes, length);
  }

  #makeRoom(outlet: Outlet, bytes: number): void {
    if (this.#to !== outlet || this.#length + bytes > maxCopiedBytes) this.flush();
  }

  #put(outlet: Outlet, from: Buffer, start: number, end: number): void {
    const length = end - start;
    if (length > maxCopiedBytes) {
      this.flush();
      outlet.put(from.subarray(start, end), length);
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
