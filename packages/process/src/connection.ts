import type { Server, Socket } from 'node:net';
import { ConnectionClosed, isReset, onceClosed, own, SocketSet } from './owned-socket.ts';

/** How long a close waits for the other side to take what it was sent and to close, too. */
const lingerMs = 30_000;
/** How long a tunnel with one side closed may be silent. TCP's keep-alive notices only peers that are gone. */
const halfClosedIdleMs = 300_000;

/** Reads and writes one socket in awaited steps. All of them throw `ConnectionClosed` once it is broken. */
export class Connection {
  readonly socket: Socket;
  #reader: (() => void) | undefined;
  #writer: (() => void) | undefined;
  #onDrained: (() => void) | undefined;
  #isCorked = false;
  readonly #wakeReader = () => {
    if (this.#reader) this.#reader();
    else if (this.socket.readableLength === 0) this.socket.read(0); // So that an end is seen by nobody's reading.
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

  /** The socket, for a protocol that is laid over it: nothing here reads it any more. */
  release(): Socket {
    this.socket.off('readable', this.#wakeReader).off('end', this.#wakeReader);
    return this.socket;
  }

  get isOpen(): boolean {
    return !this.socket.destroyed;
  }

  /** Nothing came that nobody asked for, and both sides are open: another request may be sent. */
  get isQuiet(): boolean {
    const { readableLength, readable, writable } = this.socket;
    return readable && writable && readableLength === 0;
  }

  /** The next bytes, at most `max` of them; undefined when the other side has ended in good order. */
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

  /** What `read` will give next, or the beginning of it. */
  async peek(): Promise<Buffer | undefined> {
    const bytes = await this.read();
    if (bytes) this.socket.unshift(bytes);
    return bytes;
  }

  /** Exactly so many bytes; what comes after them stays. */
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
   * Everything up to the first of some endings, and with it; what comes after stays. Undefined when the other
   * side ended before it began, 'too-long' past the limit.
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
      // An ending may lie across two reads. Only the seam is looked at again: bytes may come one at a time.
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

  /** Resolves when more may be written. What is written at one time goes out as one. */
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

  /** Resolves when everything that was written is with the system. */
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

  /** Ends the connection after some time, however busy it is, unless it is disposed of first. */
  deadline(ms: number): Disposable {
    const timer = setTimeout(() => this.socket.destroy(timeout()), ms);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  }

  /** Ends the connection when nothing has moved for some time; 0 is never. */
  idleTimeout(ms: number): void {
    this.socket.setTimeout(ms);
  }

  /** Sends what was written, and an end. What the other side still sends is thrown away, or it might not read the answer. */
  close(): void {
    const { socket } = this;
    if (socket.destroyed) return;
    socket.setTimeout(lingerMs);
    socket.off('readable', this.#wakeReader);
    socket.end();
    socket.resume();
    this.onClose(stopTimer(setTimeout(() => socket.destroy(), lingerMs)));
  }

  /** Sends what was written and is gone. */
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
  return Object.assign(new Error('Nothing came in time'), { code: 'ETIMEDOUT' });
}

function stopTimer(timer: NodeJS.Timeout): () => void {
  return () => clearTimeout(timer);
}

/** Told what a connection's handler threw, other than that its connection is closed. */
export type FailureReport = (error: unknown) => void;

/** The boundary: runs what serves a connection. Whatever it throws ends that connection and nothing else. */
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

/** Serves every connection of a server, each inside the boundary. Resolves the set of those that are open. */
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
  server.on('error', onFailure); // A connection that could not be accepted, as when descriptors run out.
  return sockets;
}
