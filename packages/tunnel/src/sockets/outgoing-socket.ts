import net, { type Socket } from 'node:net';
import { onceClosed, own } from './owned-socket.ts';

/** Takes what a socket has received. `isLent`: the bytes are overwritten by the next read. */
type Receive = (bytes: Buffer, isLent: boolean) => void;

/** A read that fills this is a large transfer's, mostly. */
const usualBytes = 64 * 1024;
const largeBytes = 256 * 1024;
/** How many sockets may have a large buffer at a time. */
const maxLarge = 64;

/** One buffer for all sockets: what is read into it is copied before the next read. */
const shared = Buffer.allocUnsafeSlow(usualBytes);
let large = 0;

const readsBySocket = new WeakMap<Socket, OutgoingReads>();

/**
 * Reads one socket. Node would allocate 64 KB for each read. These go to a buffer that all sockets share. A socket whose
 * reads fill it has a larger one of its own for as long as they do, so that a large transfer takes fewer turns.
 */
class OutgoingReads {
  #buffer = shared;
  #receive: Receive | undefined;
  /** What came before there was anybody to take it. */
  readonly #early: Buffer[] = [];

  get buffer(): Buffer {
    return this.#buffer;
  }

  set receive(receive: Receive) {
    this.#receive = receive;
    for (const bytes of this.#early.splice(0)) receive(bytes, false);
  }

  onRead(count: number): void {
    const isShared = this.#buffer === shared;
    const read = this.#buffer.subarray(0, count);
    // A short write may be buffered, and needs bytes that stay.
    const isLent = !isShared && count >= usualBytes;
    const bytes = isLent ? read : Buffer.from(read);
    if (isShared && count === usualBytes) this.#grow();
    else if (!isShared && count < largeBytes / 2) this.shrink();
    if (this.#receive) this.#receive(bytes, isLent);
    else this.#early.push(isLent ? Buffer.from(bytes) : bytes);
  }

  #grow(): void {
    if (large >= maxLarge) return;
    large += 1;
    this.#buffer = Buffer.allocUnsafeSlow(largeBytes);
  }

  /** The large buffer is not used again: a write may still have it. */
  shrink(): void {
    if (this.#buffer === shared) return;
    large -= 1;
    this.#buffer = shared;
  }
}

/** Connects to an address. What arrives goes to the function that `receiveFrom` sets. */
export function connectSocket(address: { host: string; port: number }): Socket {
  const reads = new OutgoingReads();
  const socket = net.connect({
    ...address,
    allowHalfOpen: true,
    noDelay: true,
    keepAlive: true,
    onread: {
      buffer: () => reads.buffer,
      callback: (count: number) => {
        reads.onRead(count);
        return true;
      },
    },
  });
  own(socket);
  readsBySocket.set(socket, reads);
  onceClosed(socket, () => reads.shrink());
  return socket;
}

/** Has a function take what a socket of `connectSocket` receives. False: it is another socket. */
export function receiveFrom(socket: Socket, receive: Receive): boolean {
  const reads = readsBySocket.get(socket);
  if (reads) reads.receive = receive;
  return reads !== undefined;
}
