import type { Server, Socket } from 'node:net';
import { ConnectionClosed, isReset, onceClosed, own, SocketSet } from './owned-socket.ts';

/** How long a close waits for the other side to read everything and to close too. */
const lingerMs = 30_000;
/** How long a half-closed tunnel may be idle. TCP's keep-alive detects only peers that are gone. */
const halfClosedIdleMs = 300_000;

/** Reads and writes one socket in awaited steps. Each step throws `ConnectionClosed` once the socket is broken. */
export class Connection {
  readonly socket: Socket;
  #reader: (() => void) | undefined;
  #writer: (() => void) | undefined;
  #onDrained: (() => void) | undefined;
  #isCorked = false;
  readonly #wakeReader = () => {
    if (this.#reader) this.#reader();
    else if (this.socket.readableLength === 0) this.socket.read(0); // Detects an end while nobody reads.
  };

  constructor(socket: Socket) {
    this.socket = own(socket);
    socket.setNoDelay(true);
    socket.on('readable', this.#wakeReader).on('end', this.#wakeReader);
    socket.on('drain', () => {
      this.#writer?.();
      this.#onDrained?.();
    });
    socket.on('timeout', () => socket.destroy(timeout()));
    socket.on('close', () => {
      this.#reader?.();
      this.#writer?.();
    });
  }

  /** Returns the socket for another protocol layer, such as TLS. This object no longer reads it. */
  release(): Socket {
    this.socket.off('readable', this.#wakeReader).off('end', this.#wakeReader);
    return this.socket;
  }

  get isOpen(): boolean {
    return !this.socket.destroyed;
  }

  /** Whether both sides are open and no unexpected bytes have arrived, so that another request can be sent. */
  get isQuiet(): boolean {
    const { readableLength, readable, writable } = this.socket;
    return readable && writable && readableLength === 0;
  }

  /** Reads the next bytes, at most `max`. Returns undefined when the other side has ended normally. */
  async read(max = Number.POSITIVE_INFINITY): Promise<Buffer | undefined> {
    const { socket } = this;
    for (;;) {
      const bytes = (max < socket.readableLength ? socket.read(max) : socket.read()) as Buffer | null;
      if (bytes !== null) return bytes;
      if (socket.readableEnded) return undefined;
      if (socket.destroyed) throw new ConnectionClosed(socket.errored);
      await new Promise<void>((resolve) => {
        this.#reader = resolve;
      });
      this.#reader = undefined;
    }
  }

  /** Returns what `read` will return next, or the beginning of it, without consuming it. */
  async peek(): Promise<Buffer | undefined> {
    const bytes = await this.read();
    if (bytes) this.socket.unshift(bytes);
    return bytes;
  }

  /** Reads exactly `count` bytes and leaves the rest. */
  async readExactly(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = count; missing > 0; ) {
      const bytes = await this.read(missing);
      if (!bytes) throw new ConnectionClosed();
      parts.push(bytes);
      missing -= bytes.length;
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  /**
   * Reads up to and including the first of some endings, and leaves the rest. Returns undefined when the other side
   * ended before the first byte, and 'too-long' above the limit.
   */
  async readThrough(endings: readonly string[], maxBytes: number): Promise<Buffer | undefined | 'too-long'> {
    const parts: Buffer[] = [];
    let length = 0;
    const overlap = Math.max(...endings.map((ending) => ending.length)) - 1;
    let tail: Buffer = Buffer.alloc(0);
    for (;;) {
      const bytes = await this.read();
      if (!bytes) {
        if (length === 0) return undefined;
        throw new ConnectionClosed();
      }
      // An ending can span two reads. Searches only the overlap again, because bytes may arrive one at a time.
      const window = tail.length > 0 ? Buffer.concat([tail, bytes]) : bytes;
      const end = firstEnd(window, endings);
      if (end >= 0) {
        const own = end - tail.length;
        if (own < bytes.length) this.socket.unshift(bytes.subarray(own));
        parts.push(bytes.subarray(0, own));
        return length + own > maxBytes ? 'too-long' : Buffer.concat(parts);
      }
      parts.push(bytes);
      length += bytes.length;
      if (length > maxBytes) return 'too-long';
      tail = window.subarray(Math.max(0, window.length - overlap));
    }
  }

  /** Resolves when more may be written. Writes of the same tick are sent together. */
  async write(data: string | Buffer): Promise<void> {
    const { socket } = this;
    if (!socket.writable) throw new ConnectionClosed(socket.errored);
    if (!this.#isCorked) {
      this.#isCorked = true;
      socket.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        socket.uncork();
      });
    }
    if (!socket.write(data, 'latin1')) await this.#drained();
  }

  /** Resolves when the system has everything that was written. */
  async flushed(): Promise<void> {
    while (this.socket.writableLength > 0) {
      await new Promise<void>((resolve) => this.socket.write('', () => resolve()));
      if (this.socket.destroyed) throw new ConnectionClosed(this.socket.errored);
    }
  }

  async #drained(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#writer = resolve;
    });
    this.#writer = undefined;
    if (this.socket.destroyed) throw new ConnectionClosed(this.socket.errored);
  }

  onClose(run: () => void): void {
    onceClosed(this.socket, run);
  }

  /** Ends the connection after some time, even if it is busy, unless it is disposed first. */
  deadline(ms: number): Disposable {
    const timer = setTimeout(() => this.socket.destroy(timeout()), ms);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  }

  /** Ends the connection when it has been idle for some time; 0 means never. */
  idleTimeout(ms: number): void {
    this.socket.setTimeout(ms);
  }

  /** Sends what was written, and an end. Discards what the other side still sends, because it may not read before. */
  close(): void {
    const { socket } = this;
    if (socket.destroyed) return;
    socket.setTimeout(lingerMs);
    socket.off('readable', this.#wakeReader);
    socket.end();
    socket.resume();
    this.onClose(stopTimer(setTimeout(() => socket.destroy(), lingerMs)));
  }

  /** Sends what was written and destroys the socket. */
  closeAfterWrites(): void {
    if (this.socket.destroyed) return;
    this.socket.setTimeout(lingerMs);
    this.socket.destroySoon();
  }

  /** Breaks off, so that the other side has a reset; after what was written, where it does not read that slowly. */
  reset(): void {
    if (this.socket.writableLength > 0) this.closeAfterWrites();
    else if (!this.socket.destroyed) this.socket.resetAndDestroy();
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** From here on each side's bytes, end and break are the other's. */
  join(other: Connection): void {
    this.#pipeTo(other);
    other.#pipeTo(this);
  }

  #pipeTo(to: Connection): void {
    const { socket } = this;
    // What `pipe` would do, with a third of its listeners: most tunnels are short.
    this.#onDrained = () => to.socket.resume();
    socket.off('readable', this.#wakeReader).off('end', this.#wakeReader);
    socket.on('data', (bytes) => {
      if (!to.socket.write(bytes)) socket.pause();
    });
    const onEnd = () => {
      to.idleTimeout(halfClosedIdleMs);
      to.socket.end();
    };
    if (socket.readableEnded) onEnd();
    else socket.on('end', onEnd).resume();
    this.onClose(() => {
      if (isReset(socket.errored)) to.reset();
      else to.closeAfterWrites();
    });
  }
}

function firstEnd(bytes: Buffer, endings: readonly string[]): number {
  let first = -1;
  for (const ending of endings) {
    const at = bytes.indexOf(ending, 0, 'latin1');
    if (at >= 0 && (first < 0 || at + ending.length < first)) first = at + ending.length;
  }
  return first;
}

function timeout(): Error {
  return Object.assign(new Error('The connection timed out'), { code: 'ETIMEDOUT' });
}

function stopTimer(timer: NodeJS.Timeout): () => void {
  return () => clearTimeout(timer);
}

/** Receives what a connection's handler threw, except `ConnectionClosed`. */
export type FailureReport = (error: unknown) => void;

/** Runs the handler of a connection. An exception ends that connection and nothing else. */
export async function runConnection(
  connection: Connection,
  serve: (connection: Connection) => Promise<void> | void,
  onFailure: FailureReport,
): Promise<void> {
  try {
    await serve(connection);
  } catch (error) {
    connection.destroy();
    if (!(error instanceof ConnectionClosed)) onFailure(error);
  }
}

/** Serves every connection of a server with `runConnection`. Returns the set of open sockets. */
export function serveConnections(
  server: Server,
  serve: (connection: Connection) => Promise<void> | void,
  onFailure: FailureReport,
): SocketSet {
  const sockets = new SocketSet();
  server.on('connection', (socket) => {
    sockets.add(socket);
    if (!socket.destroyed) void runConnection(new Connection(socket), serve, onFailure);
  });
  server.on('error', onFailure); // A connection could not be accepted, for example without free descriptors.
  return sockets;
}
