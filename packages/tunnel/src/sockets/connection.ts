import type { Server, Socket } from 'node:net';
import { TimeSlice } from '@turnpike/process/work/time-slice';
import { EndFinder, type MessageEnd } from './message-end.ts';
import { receiveFrom } from './outgoing-socket.ts';
import { ConnectionClosed, isReset, own, SocketSet } from './owned-socket.ts';
import { UnreadBytes } from './unread-bytes.ts';

/** How long a close waits for the other side to read everything and to close too. */
const lingerMs = 30_000;
/** How long a half-closed tunnel may be idle. TCP's keep-alive detects only peers that are gone. */
const halfClosedIdleMs = 300_000;

const usualReadBytes = 64 * 1024;
/** How many bytes wait to be read before the socket is no longer read. */
const maxUnreadBytes = 64 * 1024;

/** Bytes that go to another connection as they arrive. */
interface Pump {
  to: Connection;
  missing: number;
  /** All have been passed on, or the side that they come from has ended. */
  onDone(): void;
  /** One of the two is closed. */
  onBroken(error: Error | null): void;
}

/** Reads and writes one socket in awaited steps. Each step throws `ConnectionClosed` once the socket is broken. */
export class Connection {
  readonly socket: Socket;
  readonly #unread = new UnreadBytes();
  #isPaused = false;
  #isDiscarding = false;
  /** Waits for a time slice before it reads on. */
  #isWaiting = false;
  #slice: TimeSlice | undefined;
  #pump: Pump | undefined;
  #reader: (() => void) | undefined;
  #writer: (() => void) | undefined;
  /** The connection whose bytes are passed on to this one. */
  #feeder: Connection | undefined;
  #isCorked = false;
  readonly #closers: (() => void)[] = [];
  readonly #onData = (bytes: Buffer) => this.#receive(bytes, false);
  readonly #onEnd = () => {
    this.#pump?.onDone();
    this.#reader?.();
  };
  readonly #uncork = () => {
    this.#isCorked = false;
    this.socket.uncork();
  };

  constructor(socket: Socket) {
    this.socket = own(socket);
    socket.setNoDelay(true);
    // Bytes are taken as they arrive. `readable` events and a stream's buffer would cost more.
    if (!receiveFrom(socket, (bytes, isLent) => this.#receive(bytes, isLent)))
      socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('drain', () => {
      this.#writer?.();
      if (this.#feeder) this.#feeder.#resume();
    });
    socket.on('timeout', () => socket.destroy(timeout()));
    socket.on('close', () => {
      this.#pump?.onBroken(socket.errored);
      if (this.#feeder) this.#feeder.#pump?.onBroken(socket.errored);
      this.#reader?.();
      this.#writer?.();
      for (const run of this.#closers) run();
    });
  }

  /** Returns the socket for another protocol layer, such as TLS. This object no longer reads it. */
  release(): Socket {
    const { socket } = this;
    socket.off('data', this.#onData).off('end', this.#onEnd).pause();
    const parts: Buffer[] = [];
    while (this.#unread.length > 0) parts.unshift(this.#unread.take());
    for (const bytes of parts) socket.unshift(bytes);
    return socket;
  }

  /** Whose time this connection's work takes: its own, unless it is set to one that several connections share. */
  get slice(): TimeSlice {
    this.#slice ??= new TimeSlice();
    return this.#slice;
  }

  set slice(slice: TimeSlice) {
    this.#slice = slice;
  }

  get isOpen(): boolean {
    return !this.socket.destroyed;
  }

  /** Whether both sides are open and nothing is under way either way, so that another request can be sent. */
  get isQuiet(): boolean {
    const { readable, writable, writableLength } = this.socket;
    return readable && writable && writableLength === 0 && this.#unread.length === 0;
  }

  /** While nobody reads: has a function called when bytes or an end arrive, or the connection is closed. */
  onArrival(run: (() => void) | undefined): void {
    this.#reader = run;
  }

  /** Bytes that have arrived and that nobody has read. */
  get unreadBytes(): number {
    return this.#unread.length;
  }

  /** Reads the next bytes, at most `max`. Returns undefined when the other side has ended normally. */
  async read(max = Number.POSITIVE_INFINITY): Promise<Buffer | undefined> {
    const hasBytes = this.#unread.length > 0 || (await this.#arrived());
    return hasBytes ? this.#take(max) : undefined;
  }

  /** Returns what `read` will return next, or the beginning of it, without consuming it. */
  async peek(): Promise<Buffer | undefined> {
    if (this.#unread.length === 0) await this.#arrived();
    return this.#unread.first;
  }

  /** Resolves when there are bytes to read, with true, or when the other side has ended, with false. */
  async #arrived(): Promise<boolean> {
    const { socket } = this;
    while (this.#unread.length === 0) {
      if (socket.readableEnded) return false;
      if (socket.destroyed) throw new ConnectionClosed(socket.errored);
      await new Promise<void>((resolve) => {
        this.#reader = resolve;
      });
      this.#reader = undefined;
    }
    return true;
  }

  #take(max: number): Buffer {
    const bytes = this.#unread.take(max);
    if (this.#isPaused && this.#unread.length < maxUnreadBytes) this.#resume();
    return bytes;
  }

  #receive(bytes: Buffer, isLent: boolean): void {
    if (!this.#isDiscarding) this.#deliver(bytes, isLent);
    if (this.slice.charge(bytes.length)) this.#waitForSlice();
  }

  #deliver(bytes: Buffer, isLent: boolean): void {
    const left = this.#pump ? this.#pass(this.#pump, bytes, isLent) : bytes;
    if (!left) return;
    this.#unread.add(isLent ? Buffer.from(left) : left);
    if (this.#unread.length >= maxUnreadBytes) this.#pause();
    this.#reader?.();
  }

  /** Passes bytes on, and waits where the system does not take them at once. Returns those that are too many. */
  #pass(pump: Pump, bytes: Buffer, isLent: boolean): Buffer | undefined {
    const { socket } = pump.to;
    const isLast = pump.missing <= bytes.length;
    const passed = isLast ? bytes.subarray(0, pump.missing) : bytes;
    pump.missing -= passed.length;
    // Lent bytes must not wait while reading goes on: after the last ones, or where no `drain` would follow.
    const isCopied = isLent && (isLast || passed.length < socket.writableHighWaterMark);
    const isTaken = socket.write(isCopied ? Buffer.from(passed) : passed);
    if (!isTaken && socket.writableLength > 0) this.#pause();
    if (isLast) pump.onDone();
    return passed.length < bytes.length ? bytes.subarray(passed.length) : undefined;
  }

  #pause(): void {
    this.#isPaused = true;
    this.socket.pause();
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.socket.resume();
  }

  /** Stops reading until this owner may use more time. */
  #waitForSlice(): void {
    this.#pause();
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.slice.whenNext(() => {
      this.#isWaiting = false;
      this.slice.charge(usualReadBytes); // What it will read, so that few of many connections go on at a time.
      // Otherwise it also waits for something else, which resumes it.
      if (this.#unread.length < maxUnreadBytes && !this.#pump?.to.socket.writableNeedDrain) this.#resume();
    });
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
   * Reads up to and including the end of a line or a head, and leaves the rest. Returns undefined when the other side
   * ended before the first byte, and 'too-long' above the limit.
   */
  async readThrough(end: MessageEnd, maxBytes: number): Promise<Buffer | undefined | 'too-long'> {
    const finder = new EndFinder(end);
    let before: UnreadBytes | undefined;
    for (;;) {
      const bytes = await this.read();
      if (!bytes) {
        if (!before) return undefined;
        throw new ConnectionClosed();
      }
      const at = finder.find(bytes);
      if (at >= 0 && at < bytes.length) this.#unread.putBack(bytes.subarray(at));
      const part = at >= 0 ? bytes.subarray(0, at) : bytes;
      if ((before?.length ?? 0) + part.length > maxBytes) return 'too-long';
      if (at >= 0 && !before) return part;
      before ??= new UnreadBytes();
      before.add(part);
      if (at >= 0) return before.takeAll();
    }
  }

  /** Resolves when more may be written. Writes of the same tick are sent together. */
  async write(data: string | Buffer): Promise<void> {
    const { socket } = this;
    if (!socket.writable) throw new ConnectionClosed(socket.errored);
    if (!this.#isCorked) {
      this.#isCorked = true;
      socket.cork();
      process.nextTick(this.#uncork);
    }
    if (!socket.write(data, 'latin1')) await this.#drained();
  }

  /** Resolves when the system has everything that was written. */
  async flushed(): Promise<void> {
    if (this.#isCorked) this.#uncork();
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

  /** Runs a function when the connection is closed, at once if it is closed already. */
  onClose(run: () => void): void {
    if (this.socket.closed) run();
    else this.#closers.push(run);
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
    this.#isDiscarding = true;
    this.#unread.clear();
    socket.end();
    this.#resume();
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

  /**
   * Passes the next bytes on to another connection as they arrive. Resolves with how many are missing because this side
   * has ended. Rejects when one of the two is broken.
   */
  async passOn(to: Connection, count: number): Promise<number> {
    let missing = count;
    const inSteps = this.isChecked || to.isChecked;
    while (missing > 0 && (inSteps || this.#unread.length > 0)) {
      const bytes = await this.read(missing);
      if (!bytes) return missing;
      missing -= bytes.length;
      await to.write(bytes);
    }
    if (missing === 0 || this.socket.readableEnded) return missing;
    for (const { socket } of [this, to]) if (socket.destroyed) throw new ConnectionClosed(socket.errored);
    return new Promise((resolve, reject) => {
      const finish = () => {
        this.#pump = undefined;
        to.#feeder = undefined;
        this.#resume();
      };
      const pump: Pump = {
        to,
        missing,
        onDone() {
          finish();
          resolve(pump.missing);
        },
        onBroken(error) {
          finish();
          reject(new ConnectionClosed(error));
        },
      };
      this.#pump = pump;
      to.#feeder = this;
    });
  }

  /** Whether every read and write is checked, so that bytes can be passed on only in steps. */
  get isChecked(): boolean {
    return false;
  }

  /** From here on each side's bytes, end and break are the other's. */
  join(other: Connection): void {
    other.slice = this.slice;
    this.#joinTo(other);
    other.#joinTo(this);
  }

  #joinTo(to: Connection): void {
    const { socket } = this;
    const onDone = () => {
      to.idleTimeout(halfClosedIdleMs);
      to.socket.end();
    };
    const onBroken = () => {}; // The close below passes it on.
    const pump: Pump = { to, missing: Number.POSITIVE_INFINITY, onDone, onBroken };
    this.#pump = pump;
    to.#feeder = this;
    while (this.#unread.length > 0) this.#pass(pump, this.#unread.take(), false);
    if (!to.socket.writableNeedDrain) this.#resume();
    if (socket.readableEnded) onDone();
    this.onClose(() => {
      if (isReset(socket.errored)) to.reset();
      else to.closeAfterWrites();
    });
  }
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
