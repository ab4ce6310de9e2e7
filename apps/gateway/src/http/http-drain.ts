import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Turns of the event loop after which everything that had reached a socket has been read. */
const readTurns = 8;
const lookMs = 50;

/**
 * Stops an HTTP server without losing a request that has reached it. The kernel resets whatever is closed with
 * something unread: a listener with connections in its queue, a kept connection with a request in it. So both are
 * closed only right after the event loop has read all there was to read, and only when they are idle.
 */
export class HttpDrain {
  readonly #server: Server;
  /** Open connections, and how much of each was read when its last answer was sent. */
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
    // Whoever closes the server closes it in the right moment, and its idle connections with it.
    const close = server.close.bind(server);
    server.close = (done) => {
      setImmediate(() => close(done));
      return server;
    };
  }

  /** How many requests are being answered. */
  get requests(): number {
    return this.#requests;
  }

  /** Resolves when all that had reached the sockets so far is being answered. */
  async readAll(): Promise<void> {
    for (let turn = 0; turn < readTurns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Closes connections as they become idle, until it is disposed of; after `graceMs` whatever is left. */
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

  /** One that has begun to send a request is not idle. */
  #closeIdle(): void {
    for (const [socket, bytesRead] of this.#settled) {
      if (!this.#busy.has(socket) && socket.bytesRead === bytesRead) socket.destroy();
    }
  }
}
