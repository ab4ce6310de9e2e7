import { maxHeadBytes, writeTextFrameHead } from '../relay/text-frame.ts';
import { mayTryAgain, write } from './libc.ts';

/** What is larger goes out by itself, uncopied. */
const maxCopiedBytes = 64 * 1024;

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

  add(outlet: Outlet, part: Uint8Array): void {
    this.#makeRoom(outlet, part.length);
    this.#put(outlet, part);
  }

  /** As a message of the DevTools pipe. */
  addMessage(outlet: Outlet, message: Uint8Array): void {
    this.#makeRoom(outlet, message.length + 1);
    this.#put(outlet, message);
    this.#to = outlet;
    this.#bytes[this.#length] = 0;
    this.#length += 1;
  }

  /** As a WebSocket message of text. */
  addText(outlet: Outlet, payload: Uint8Array): void {
    this.#makeRoom(outlet, payload.length + maxHeadBytes);
    this.#to = outlet;
    this.#length += writeTextFrameHead(this.#bytes, this.#length, payload.length);
    this.#put(outlet, payload);
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

  #put(outlet: Outlet, part: Uint8Array): void {
    if (part.length > maxCopiedBytes) {
      this.flush();
      outlet.put(part, part.length);
      return;
    }
    this.#to = outlet;
    this.#bytes.set(part, this.#length);
    this.#length += part.length;
  }
}
