import type { Socket } from 'node:net';
import type { ByteCounters } from '@turnpike/contract/host';
import { onceClosed, wireBytes } from '@turnpike/process/owned-socket';

/** Counts what goes over sockets, those still open included. */
export class ByteMeter {
  readonly #open = new Set<Socket>();
  #bytesUp = 0;
  #bytesDown = 0;

  track(socket: Socket): void {
    this.#open.add(socket);
    onceClosed(socket, () => {
      this.#open.delete(socket);
      const { received, sent } = wireBytes(socket);
      this.#bytesUp += sent;
      this.#bytesDown += received;
    });
  }

  get counters(): ByteCounters {
    let bytesUp = this.#bytesUp;
    let bytesDown = this.#bytesDown;
    for (const socket of this.#open) {
      const { received, sent } = wireBytes(socket);
      bytesUp += sent;
      bytesDown += received;
    }
    return { bytesUp, bytesDown };
  }
}
