import type { WebSocket } from 'ws';

/** Below the minute after which home routers and cloud balancers forget a connection without traffic. */
const defaultIntervalMs = 30_000;

/** Two minutes: a client that stands at a breakpoint, or waits for its network to come back, is not dead yet. */
const maxUnanswered = 4;

/** What a WebSocket runs on. */
export interface Connection {
  readonly bytesRead: number;
  /** Nobody listens to it for the time being. */
  readonly isHeldUp?: boolean;
}

interface Peer {
  connection: Connection;
  bytesRead: number;
  /** Pings since it was last heard. */
  unanswered: number;
}

/**
 * Pings WebSockets from which nothing was heard since the last look, and drops those that stay silent. Bytes
 * are what is looked at, pongs among them: nothing is added to the way of a message.
 */
export class KeepAlive {
  readonly #intervalMs: number;
  readonly #peers = new Map<WebSocket, Peer>();
  #timer: NodeJS.Timeout | undefined;

  constructor(intervalMs = defaultIntervalMs) {
    this.#intervalMs = intervalMs;
  }

  /** Until it closes. */
  watch(webSocket: WebSocket, connection: Connection): void {
    this.#peers.set(webSocket, { connection, bytesRead: connection.bytesRead, unanswered: 0 });
    this.#timer ??= setInterval(() => this.#look(), this.#intervalMs).unref();
    webSocket.once('close', () => {
      this.#peers.delete(webSocket);
      if (this.#peers.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  #look(): void {
    for (const [webSocket, peer] of this.#peers) {
      const { bytesRead, isHeldUp } = peer.connection;
      const heard = bytesRead !== peer.bytesRead;
      peer.bytesRead = bytesRead;
      if (heard || isHeldUp || webSocket.isPaused) peer.unanswered = 0;
      else if (peer.unanswered === maxUnanswered) webSocket.terminate();
      else {
        peer.unanswered += 1;
        webSocket.ping();
      }
    }
  }
}
