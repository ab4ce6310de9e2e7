import type { Socket } from 'node:net';

/**
 * With `connection.ts`, the one way to own a socket in the data path. A socket has its error listener from the
 * moment it exists until it is gone, whoever else takes listeners on and off. What serves a connection runs
 * inside one boundary. The worst that either can do is end that connection.
 */

const ignore = () => {};

/** The connection broke, or one side of it is no longer there. `code` is the system's, where it had one. */
export class ConnectionClosed extends Error {
  readonly code: string | undefined;
  constructor(cause?: Error | null) {
    super('The connection is closed', cause ? { cause } : {});
    this.name = 'ConnectionClosed';
    this.code = (cause as NodeJS.ErrnoException | undefined | null)?.code;
  }
}

/** Takes care of a socket's errors for its whole life. A close follows each, and `errored` keeps the reason. */
export function own<S extends Socket>(socket: S): S {
  if (!socket.listeners('error').includes(ignore)) socket.on('error', ignore);
  return socket;
}

/**
 * Bytes that were on the wire. What was received and nobody has taken yet is in `received` alone; what still
 * waits in this process to be sent is in neither.
 */
export function wireBytes(socket: Socket): { received: number; taken: number; sent: number } {
  const { bytesRead, readableLength, bytesWritten, writableLength } = socket;
  return { received: bytesRead, taken: bytesRead - readableLength, sent: bytesWritten - writableLength };
}

/** Resolves when a socket that was just made is connected. Destroys it otherwise. */
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

/** Runs a function when a socket is gone, at once if it is already. */
export function onceClosed(socket: Socket, run: () => void): void {
  if (socket.closed) run();
  else own(socket).once('close', run);
}

export function isReset(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException | null)?.code ?? '');
}

/** Sockets that end together. */
export class SocketSet {
  readonly #open = new Set<Socket>();
  #isClosed = false;

  add(socket: Socket): void {
    own(socket);
    if (this.#isClosed) return void socket.destroy();
    this.#open.add(socket);
    onceClosed(socket, () => this.#open.delete(socket));
  }

  /** Breaks every one off, and those that are added later. Resolves when they are gone. */
  async close(reason?: Error): Promise<void> {
    this.#isClosed = true;
    const gone = Array.from(this.#open, (socket) => new Promise<void>((done) => onceClosed(socket, done)));
    for (const socket of this.#open) socket.destroy(reason);
    await Promise.all(gone);
  }
}
