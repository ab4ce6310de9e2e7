import { SessionIds, sessionAtOfClient, withoutSession } from '../chromium/session-tail.ts';
import { concernsHost } from '../relay/concerns-host.ts';
import { FrameReader } from '../relay/frame-reader.ts';
import { close, mayTryAgain, read, shutdown } from './libc.ts';
import type { Line } from './line.ts';
import { type CallerStart, callerCounters } from './orders.ts';
import { Outlet } from './outlet.ts';
import type { Ready } from './poller.ts';
import type { Surroundings } from './surroundings.ts';

/** Past this, a client that does not read is cut; the memory it costs is bounded by this and its largest message. */
const maxPendingBytes = 64 * 2 ** 20;

const ofWriting = 1;

interface Waiting {
  isText: boolean;
  bytes: Buffer;
}

/** A client's socket. Of what it sends, what the host must see goes there, and the rest waits for the answer. */
export class Caller implements Ready {
  readonly number: number;
  readonly line: Line;
  /** Sessions that this client attached, or that attached themselves on its behalf. */
  readonly sessions = new Set<string>();
  readonly #descriptor: number;
  readonly #rootSession: string;
  readonly #around: Surroundings;
  readonly #counters: Float64Array;
  readonly #outlet: Outlet;
  readonly #reader = new FrameReader({
    text: (bytes, start, end) => this.#take(true, bytes, start, end),
    other: (bytes) => this.#take(false, bytes, 0, bytes.length),
  });
  readonly #ids = new SessionIds();
  #waiting: Waiting[] = [];
  #isAsking = false;
  /** The session that its next message is for, where nothing may go to that yet. */
  #heldFor: string | undefined;
  #isPaused = false;
  #isOver = false;
  #isEnding = false;
  #isDropped = false;
  #isCut = false;
  #largestPending = 0;

  constructor(
    { caller, descriptor, rootSession, first, counters }: CallerStart & { caller: number },
    line: Line,
    around: Surroundings,
  ) {
    this.number = caller;
    this.line = line;
    this.#descriptor = descriptor;
    this.#rootSession = rootSession;
    this.#around = around;
    this.#counters = counters;
    this.#outlet = new Outlet(descriptor, (isPending) => this.#pending(isPending));
    line.own(rootSession, this);
    this.#reader.read(Buffer.from(first), first.length);
    this.#watch();
  }

  readable(): void {
    if (this.#isOver) {
      this.#outlet.drain(); // It hung up while something waits to be written: that cannot be.
      return;
    }
    const { buffer } = this.#around;
    const count = read(this.#descriptor, buffer, buffer.length);
    if (count > 0) {
      this.#counters[callerCounters.bytesRead] = (this.#counters[callerCounters.bytesRead] as number) + count;
      this.#reader.read(buffer, count);
    } else if (count === 0 || !mayTryAgain()) {
      this.#isOver = true;
      this.#watch();
      this.#around.reports.push({ tell: 'gone', caller: this.number });
    }
  }

  writable(): void {
    this.#outlet.drain();
  }

  deliver(session: string, bytes: Buffer, start: number, end: number): void {
    if (this.#isCut) return;
    if (!this.#hasRoomFor(end - start)) {
      this.#isCut = true;
      this.#around.reports.push({ tell: 'slow', caller: this.number });
      return;
    }
    const last = session === this.#rootSession ? withoutSession(bytes, end) : end;
    this.#around.batch.addText(this.#outlet, bytes, start, last);
  }

  write(bytes: Buffer): void {
    this.#around.batch.add(this.#outlet, bytes);
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#counters[callerCounters.isPaused] = Number(isPaused);
    this.#watch();
  }

  /** The host has dealt with what it was told. */
  goOn(): void {
    this.#isAsking = false;
    this.#takeWaiting();
  }

  /** To a session that it has. */
  pass(message: Buffer): void {
    this.line.sendFrom(this, message, 0, message.length);
  }

  /** Messages may go to the session from here on. */
  letGo(session: string): void {
    if (this.#heldFor !== session) return;
    this.#heldFor = undefined;
    this.#takeWaiting();
  }

  /** After what waits to be written. */
  end(): void {
    this.#around.batch.flush();
    this.#isEnding = true;
    if (this.#outlet.pendingBytes === 0) shutdown(this.#descriptor, ofWriting);
  }

  drop(): void {
    this.#around.batch.flush();
    this.#reader.close();
    this.#isDropped = true;
    this.line.disown([this.#rootSession, ...this.sessions], this);
    this.#outlet.abandon();
    this.#around.poller.forget(this.#descriptor);
    close(this.#descriptor);
  }

  #take(isText: boolean, bytes: Buffer, start: number, end: number): void {
    if (this.#isWaiting) this.#waiting.push({ isText, bytes: Buffer.from(bytes.subarray(start, end)) });
    else if (isText) this.#text(bytes, start, end);
    else {
      this.#ask();
      this.#around.reports.push({ tell: 'other', caller: this.number, bytes: new Uint8Array(bytes) });
    }
  }

  get #isWaiting(): boolean {
    return this.#isAsking || this.#heldFor !== undefined;
  }

  #takeWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { isText, bytes } of waiting) this.#take(isText, bytes, 0, bytes.length);
    this.#watch();
  }

  #text(bytes: Buffer, start: number, end: number): void {
    if (this.line.isMuted) return;
    const session = this.#ids.read(bytes, sessionAtOfClient(bytes, start, end));
    const own = session !== undefined && this.sessions.has(session) ? session : undefined;
    if (own !== undefined && this.line.isHeld(own)) {
      // Whatever it says next waits too, to other sessions as well: a client may rely on the order.
      this.#heldFor = own;
      this.#take(true, bytes, start, end);
      this.#watch();
      return;
    }
    this.line.counted();
    if (own !== undefined && !concernsHost(bytes, start, end)) {
      this.line.sendFrom(this, bytes, start, end);
      return;
    }
    this.#ask();
    const message = new Uint8Array(bytes.subarray(start, end));
    this.#around.reports.push({ tell: 'asked', caller: this.number, message, session: own });
  }

  #ask(): void {
    this.#isAsking = true;
    this.#watch();
  }

  #pending(isPending: boolean): void {
    this.#watch();
    if (!isPending && this.#isEnding) shutdown(this.#descriptor, ofWriting);
  }

  #watch(): void {
    if (this.#isDropped) return;
    this.#around.poller.watch(this.#descriptor, this, {
      read: !this.#isWaiting && !this.#isPaused && !this.#isOver,
      write: this.#outlet.pendingBytes > 0,
    });
  }

  /** One message may be of any size; it is more of them behind it that must not pile up. */
  #hasRoomFor(bytes: number): boolean {
    const pending = this.#outlet.pendingBytes;
    if (pending === 0) this.#largestPending = 0;
    if (pending > maxPendingBytes + this.#largestPending) return false;
    this.#largestPending = Math.max(this.#largestPending, bytes);
    return true;
  }
}
