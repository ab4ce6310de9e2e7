import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Rounds of the event loop after which everything that had reached a socket has been read. */
const readRounds = 8;
const lookMs = 50;

/**
 * Stops an HTTP server without losing a request that has reached it. The kernel resets a connection that is closed with
 * unread data: connections in a listener's queue, and kept connections with a request in them. So both are closed only
 * right after the event loop has read everything, and only when they are idle.
 */
export class HttpDrain {
  readonly #server: Server;
  /** Open connections, and how many bytes of each were read when its last answer was sent. */
  readonly #settled = new Map<Socket, number>();
  readonly #busy = new Map<Socket, number>();
  #requests = 0;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#settled.set(socket, 0);
      socket.once('close', () => this.#settled.delete(socket));
    });
    server.on('request', (request: { socket: Socket }, response: ServerResponse) => {
      const { socket } = request;
      this.#count(socket, 1);
      response.once('close', () => this.#count(socket, -1));
    });
    // Closes after the event loop has read everything, also when Fastify closes the server.
    const close = server.close.bind(server);
    server.close = (done) => {
      setImmediate(() => close(done));
      return server;
    };
  }

  /** The number of requests that are being answered. */
  get requests(): number {
    return this.#requests;
  }

  /** Resolves when every request that has reached the sockets is being answered. */
  async readAll(): Promise<void> {
    for (let round = 0; round < readRounds; round += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Closes connections as they become idle, until it is disposed of. After `graceMs` it closes all. */
  closeWhenIdle(graceMs: number): Disposable {
    const sweep = setInterval(() => setImmediate(() => this.#closeIdle()), lookMs);
    const cut = setTimeout(() => this.#server.closeAllConnections(), graceMs);
    return {
      [Symbol.dispose]() {
        clearInterval(sweep);
        clearTimeout(cut);
      },
    };
  }

  #count(socket: Socket, change: 1 | -1): void {
    this.#requests += change;
    const busy = (this.#busy.get(socket) ?? 0) + change;
    if (busy > 0) this.#busy.set(socket, busy);
    else {
      this.#busy.delete(socket);
      if (this.#settled.has(socket)) this.#settled.set(socket, socket.bytesRead);
    }
  }

  /** A connection that has begun to send a request is not idle. */
  #closeIdle(): void {
    for (const [socket, bytesRead] of this.#settled) {
      if (!this.#busy.has(socket) && socket.bytesRead === bytesRead) socket.destroy();
    }
  }
}
