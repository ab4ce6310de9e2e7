import type { Socket } from 'node:net';

/**
 * With `connection.ts`, the only way to handle a socket in the data path. A socket has its error listener from its
 * creation until it is closed, no matter which other listeners are added and removed. `runConnection` catches the
 * exceptions of a handler. Both can end only their own connection.
 */

const ignore = () => {};

/** The connection broke, or one side of it is closed. `code` is the system's error code, if there is one. */
export class ConnectionClosed extends Error {
  readonly code: string | undefined;
  constructor(cause?: Error | null) {
    super('The connection is closed', cause ? { cause } : {});
    this.name = 'ConnectionClosed';
    this.code = (cause as NodeJS.ErrnoException | undefined | null)?.code;
  }
}

/** Handles a socket's errors until it is closed. A close follows each error, and `errored` has the reason. */
export function own<S extends Socket>(socket: S): S {
  if (socket.listenerCount('error', ignore) === 0) socket.on('error', ignore);
  return socket;
}

/** Bytes on the wire. Bytes that are still buffered for sending are not counted. */
export function wireBytes(socket: Socket): { received: number; sent: number } {
  return { received: socket.bytesRead, sent: socket.bytesWritten - socket.writableLength };
}

/** Resolves when a new socket is connected. Destroys it otherwise. */
export function connected<S extends Socket>(
  socket: S,
  signal: AbortSignal,
  event: 'connect' | 'secureConnect' = 'connect',
): Promise<S> {
  own(socket);
  return new Promise((resolve, reject) => {
    const settle = () => {
      socket.off(event, onConnect).off('close', onClose);
      signal.removeEventListener('abort', onAbort);
    };
    const onConnect = () => {
      settle();
      resolve(socket);
    };
    const onClose = () => {
      settle();
      reject(socket.errored ?? new ConnectionClosed());
    };
    const onAbort = () => {
      settle();
      socket.destroy();
      reject(signal.reason);
    };
    socket.on(event, onConnect).on('close', onClose);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}

/** Runs a function when a socket is closed, at once if it is closed already. */
export function onceClosed(socket: Socket, run: () => void): void {
  if (socket.closed) run();
  else own(socket).once('close', run);
}

export function isReset(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException | null)?.code ?? '');
}

/** A set of sockets that are closed together. */
export class SocketSet {
  readonly #open = new Set<Socket>();
  #isClosed = false;

  add(socket: Socket): void {
    own(socket);
    if (this.#isClosed) return void socket.destroy();
    this.#open.add(socket);
    onceClosed(socket, () => this.#open.delete(socket));
  }

  /** Destroys those that there are now. */
  cut(reason: Error): void {
    for (const socket of this.#open) socket.destroy(reason);
  }

  /** Destroys all sockets, and those that are added later. Resolves when they are closed. */
  async close(reason?: Error): Promise<void> {
    this.#isClosed = true;
    const gone = Array.from(this.#open, (socket) => new Promise<void>((done) => onceClosed(socket, done)));
    for (const socket of this.#open) socket.destroy(reason);
    await Promise.all(gone);
  }
}
