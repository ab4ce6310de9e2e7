import type { Socket } from 'node:net';
import type { ByteCounters } from '@turnpike/contract/host';

/** Counts what goes over sockets, those still open included. */
export class ByteMeter {
  readonly #open = new Set<Socket>();
  #bytesUp = 0;
  #bytesDown = 0;

  track(socket: Socket): void {
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#bytesUp += socket.bytesWritten;
      this.#bytesDown += socket.bytesRead;
    });
  }

  get counters(): ByteCounters {
    let bytesUp = this.#bytesUp;
    let bytesDown = this.#bytesDown;
    for (const socket of this.#open) {
      bytesUp += socket.bytesWritten;
      bytesDown += socket.bytesRead;
    }
    return { bytesUp, bytesDown };
  }
}
