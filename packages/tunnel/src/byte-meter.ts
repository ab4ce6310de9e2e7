import type { Socket } from 'node:net';
import type { ByteCounters } from '@turnpike/contract/host';
import { onceClosed, wireBytes } from '@turnpike/process/owned-socket';

/** Counts one socket's bytes on the wire, each byte once. All metering goes through here. */
export class SocketMeter {
  readonly #socket: Socket;
  #sent = 0;
  #received = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Bytes since the last call. With `leaveUnread`, received bytes that nobody has read are left for a later call. */
  take({ leaveUnread = false } = {}): { sent: number; received: number } {
    const bytes = wireBytes(this.#socket);
    const sent = Math.max(0, bytes.sent - this.#sent);
    const received = Math.max(0, (leaveUnread ? bytes.taken : bytes.received) - this.#received);
    this.#sent += sent;
    this.#received += received;
    return { sent, received };
  }
}

/** Adds up the bytes of many sockets, including open ones. */
export class ByteMeter {
  readonly #open = new Set<SocketMeter>();
  readonly #counters = { bytesUp: 0, bytesDown: 0 };

  track(socket: Socket): void {
    const meter = new SocketMeter(socket);
    this.#open.add(meter);
    onceClosed(socket, () => {
      this.#open.delete(meter);
      this.#count(meter);
    });
  }

  get counters(): ByteCounters {
    for (const meter of this.#open) this.#count(meter);
    return { ...this.#counters };
  }

  #count(meter: SocketMeter): void {
    const { sent, received } = meter.take();
    this.#counters.bytesUp += sent;
    this.#counters.bytesDown += received;
  }
}
