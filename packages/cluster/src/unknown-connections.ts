import type { Socket } from 'node:net';

/** Connections that have not shown the cluster's secret yet. */
const maxUnknown = 256;

/**
 * Bounds connections of strangers to a private port. The oldest one makes room for a new one: parts of the cluster show
 * the secret with their first bytes, so theirs is not among the old ones.
 */
export class UnknownConnections {
  /** By the peer's address and port: a TLS connection has two sockets. */
  readonly #sockets = new Map<string, Socket>();

  add(socket: Socket): void {
    const peer = peerOf(socket);
    this.#sockets.set(peer, socket);
    socket.once('close', () => {
      if (this.#sockets.get(peer) === socket) this.#sockets.delete(peer);
    });
    if (this.#sockets.size <= maxUnknown) return;
    const [[oldest, stranger] = []] = this.#sockets;
    if (oldest !== undefined) this.#sockets.delete(oldest);
    stranger?.destroy();
  }

  verified(socket: Socket): void {
    this.#sockets.delete(peerOf(socket));
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
