import type { Socket } from 'node:net';
import type { ByteCounters } from '@turnpike/contract/host';
import { onceClosed, wireBytes } from './sockets/owned-socket.ts';

/** Counts one socket's bytes on the wire, each byte once. All metering goes through here. */
export class SocketMeter {
  readonly #socket: Socket;
  #sent = 0;
  #received = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Bytes since the last call. `unread`: received bytes that are left for a later call. */
  take(unread = 0): { sent: number; received: number } {
    const bytes = wireBytes(this.#socket);
    const sent = Math.max(0, bytes.sent - this.#sent);
    const received = Math.max(0, bytes.received - unread - this.#received);
    this.#sent += sent;
    this.#received += received;
    return { sent, received };
  }
}

/** A part of the sum, such as one destination's. */
export interface ByteShare {
  add(bytesUp: number, bytesDown: number): void;
}

interface TrackedSocket {
  socket: Socket;
  meter: SocketMeter;
  share: ByteShare | undefined;
}

/**
 * Adds up the bytes of many sockets, including open ones. Each byte is added to the sum and to one share in the same
 * step, so that the shares always add up to the sum. With a limit the sum never passes it: bytes that arrive when there
 * is no room for them are not counted, and `isExceeded` tells that nothing may be carried any more.
 */
export class ByteMeter {
  readonly #open = new Set<TrackedSocket>();
  readonly #counters = { bytesUp: 0, bytesDown: 0 };
  readonly #maxBytes: number;
  #isExceeded = false;

  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  /** Counts a socket's bytes. The result has its bytes from now on added to another share. */
  track(socket: Socket, share?: ByteShare): (next: ByteShare | undefined) => void {
    const tracked: TrackedSocket = { socket, meter: new SocketMeter(socket), share };
    this.#open.add(tracked);
    onceClosed(socket, () => {
      this.#open.delete(tracked);
      this.#count(tracked);
    });
    return (next) => {
      this.#count(tracked);
      tracked.share = next;
    };
  }

  get counters(): ByteCounters {
    for (const tracked of this.#open) this.#count(tracked);
    return { ...this.#counters };
  }

  /** Whether there is a limit. */
  get isLimited(): boolean {
    return this.#maxBytes !== Number.POSITIVE_INFINITY;
  }

  /** Whether more bytes arrived or were to be sent than the limit allows. */
  get isExceeded(): boolean {
    if (!this.#isExceeded && this.isLimited) void this.counters;
    return this.#isExceeded;
  }

  /** Whether so many more bytes may be sent, besides those that wait to be. */
  allows(bytes: number): boolean {
    const { bytesUp, bytesDown } = this.counters;
    let waiting = 0;
    for (const { socket } of this.#open) waiting += socket.writableLength;
    if (bytesUp + bytesDown + waiting + bytes > this.#maxBytes) this.#isExceeded = true;
    return !this.#isExceeded;
  }

  #count({ meter, share }: TrackedSocket): void {
    const { sent, received } = meter.take();
    if (sent + received === 0) return;
    const room = this.#maxBytes - this.#counters.bytesUp - this.#counters.bytesDown;
    const bytesUp = Math.min(sent, room);
    const bytesDown = Math.min(received, room - bytesUp);
    if (bytesUp + bytesDown < sent + received) this.#isExceeded = true;
    this.#counters.bytesUp += bytesUp;
    this.#counters.bytesDown += bytesDown;
    share?.add(bytesUp, bytesDown);
  }
}
