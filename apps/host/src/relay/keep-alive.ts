import type { WebSocket } from 'ws';

/** Less than the minute after which home routers and cloud load balancers drop a connection without traffic. */
const defaultIntervalMs = 30_000;

/** Two minutes: a client that stands at a breakpoint, or whose network is coming back, is not dead yet. */
const maxUnanswered = 4;

/** The connection under a WebSocket. */
export interface Connection {
  readonly bytesRead: number;
  /** Whether nobody reads from it for now. */
  readonly isBackpressured?: boolean;
}

interface Peer {
  connection: Connection;
  bytesRead: number;
  /** Pings since bytes last came from it. */
  unanswered: number;
}

/**
 * Pings WebSockets that have sent nothing since the last check, and closes those that stay silent. Only counts of bytes
 * are compared, pongs included, so it costs messages nothing.
 */
export class KeepAlive {
  readonly #intervalMs: number;
  readonly #peers = new Map<WebSocket, Peer>();
  #timer: NodeJS.Timeout | undefined;

  constructor(intervalMs = defaultIntervalMs) {
    this.#intervalMs = intervalMs;
  }

  /** Watches the WebSocket until it closes. */
  watch(webSocket: WebSocket, connection: Connection): void {
    this.#peers.set(webSocket, { connection, bytesRead: connection.bytesRead, unanswered: 0 });
    this.#timer ??= setInterval(() => this.#check(), this.#intervalMs).unref();
    webSocket.once('close', () => {
      this.#peers.delete(webSocket);
      if (this.#peers.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  #check(): void {
    for (const [webSocket, peer] of this.#peers) {
      const { bytesRead, isBackpressured } = peer.connection;
      const hasSent = bytesRead !== peer.bytesRead;
      peer.bytesRead = bytesRead;
      if (hasSent || isBackpressured || webSocket.isPaused) peer.unanswered = 0;
      else if (peer.unanswered === maxUnanswered) webSocket.terminate();
      else {
        peer.unanswered += 1;
        webSocket.ping();
      }
    }
  }
}
