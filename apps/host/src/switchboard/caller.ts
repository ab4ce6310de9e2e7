import { SessionIds, sessionAtOfClient, withoutSession } from '../chromium/session-tail.ts';
import { concernsHost } from '../relay/concerns-host.ts';
import { FrameReader } from '../relay/frame-reader.ts';
import { type Refusal, refusals } from '../relay/refusals.ts';
import { hasZeroByte } from '../relay/zero-byte.ts';
import { overheadBytes, type Share } from './byte-budget.ts';
import { close, mayTryAgain, read, shutdown } from './libc.ts';
import type { Line } from './line.ts';
import { type CallerStart, callerCounters } from './orders.ts';
import { Outlet } from './outlet.ts';
import type { Ready } from './poller.ts';
import type { ThreadContext } from './thread-context.ts';

const ofWriting = 1;

/** A client's socket. Of what it sends, what the host must see goes there, and the rest waits for the answer. */
export class Caller implements Ready {
  readonly number: number;
  readonly line: Line;
  /** Sessions that this client attached, or that attached themselves on its behalf. */
  readonly sessions = new Set<string>();
  readonly #descriptor: number;
  readonly #rootSession: string;
  readonly #context: ThreadContext;
  readonly #counters: Float64Array;
  readonly #share: Share;
  readonly #outlet: Outlet;
  readonly #reader: FrameReader;
  readonly #ids = new SessionIds();
  /** What the host is looking at costs as long as it does. */
  #askedBytes = 0;
  #isAsking = false;
  /** A session that nothing may go to yet, and the message to it that waits; nothing is read behind that. */
  #heldFor: string | undefined;
  #held: Buffer | undefined;
  #isPaused = false;
  #isOver = false;
  #isEnding = false;
  #isDropped = false;
  #isRefused = false;

  constructor(
    { caller, descriptor, rootSession, first, counters }: CallerStart & { caller: number },
    line: Line,
    context: ThreadContext,
  ) {
    this.number = caller;
    this.line = line;
    this.#descriptor = descriptor;
    this.#rootSession = rootSession;
    this.#context = context;
    this.#counters = counters;
    this.#share = line.budget.share(() => this.refuse(refusals.tooSlow));
    this.#outlet = new Outlet({
      ...{ descriptor, share: this.#share },
      onPending: (isPending) => this.#pending(isPending),
      onFault: (error) => this.fail(error),
    });
    const sink = {
      text: (bytes: Buffer, start: number, end: number) => this.#text(bytes, start, end),
      control: (bytes: Buffer) => this.#control(bytes),
      refuse: (refusal: Refusal) => this.refuse(refusal),
    };
    this.#reader = new FrameReader(sink, this.#share);
    line.own(rootSession, this);
    this.#reader.read(Buffer.from(first), first.length);
    this.#watch();
  }

  readable(): void {
    if (this.#isOver) {
      this.#outlet.drain(); // It hung up while something waits to be written: that cannot be.
      return;
    }
    const { buffer } = this.#context;
    const count = read(this.#descriptor, buffer, buffer.length);
    if (count > 0) {
      this.#counters[callerCounters.bytesRead] = (this.#counters[callerCounters.bytesRead] as number) + count;
      this.#reader.read(buffer, count);
    } else if (count === 0 || !mayTryAgain()) {
      this.#isOver = true;
      this.#watch();
      this.#context.reports.push({ tell: 'gone', caller: this.number });
    }
  }

  writable(): void {
    this.#outlet.drain();
  }

  fail(error: unknown): void {
    this.#context.fault({ caller: this.number }, error);
    this.#isOver = true; // Nothing is read from it again: it might fail again.
    this.#reader.close();
    if (this.#isRefused) this.#outlet.abandon();
    this.refuse(refusals.fault);
    this.#watch();
  }

  deliver(session: string, bytes: Buffer, start: number, end: number): void {
    if (this.#isRefused) return;
    if (this.#outlet.pendingBytes > 0 && !this.#share.fits(end - start)) {
      this.refuse(refusals.tooSlow);
      return;
    }
    const last = session === this.#rootSession ? withoutSession(bytes, end) : end;
    this.#context.batch.addText(this.#outlet, bytes, start, last);
  }

  write(bytes: Buffer): void {
    this.#context.batch.add(this.#outlet, bytes);
  }

  /** Nothing of its messages counts any more, and what is held for it is dropped at once. */
  refuse(refusal: Refusal): void {
    if (this.#isRefused || this.#isDropped) return;
    this.#isRefused = true;
    this.#context.batch.flush();
    this.#reader.ignoreMessages();
    this.#dropHeld();
    const canBeTold = this.#outlet.cutShort();
    this.#watch();
    this.#context.reports.push({ tell: 'refused', caller: this.number, refusal, canBeTold });
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#counters[callerCounters.isPaused] = Number(isPaused);
    this.#watch();
  }

  /** The host has dealt with what it was told. */
  goOn(): void {
    this.#share.add(-this.#askedBytes);
    this.#askedBytes = 0;
    this.#isAsking = false;
    this.line.pauseWhereFull(this);
    this.#resume();
  }

  /** To a session that it has. */
  pass(message: Buffer): void {
    if (!this.#isRefused) this.line.sendFrom(this, message, 0, message.length);
  }

  /** Messages may go to the session from here on. */
  release(session: string): void {
    if (this.#heldFor !== session) return;
    const message = this.#dropHeld();
    if (message) this.#text(message, 0, message.length);
    this.#resume();
  }

  /** After what waits to be written. */
  end(): void {
    this.#context.batch.flush();
    this.#isEnding = true;
    if (this.#outlet.pendingBytes === 0) shutdown(this.#descriptor, ofWriting);
  }

  drop(): void {
    if (this.#isDropped) return;
    this.#context.batch.flush();
    this.#reader.close();
    this.#isDropped = true;
    this.line.disown([this.#rootSession, ...this.sessions], this);
    this.#outlet.abandon();
    this.#share.close();
    this.#context.poller.forget(this.#descriptor);
    close(this.#descriptor);
  }

  #control(bytes: Buffer): void {
    this.#ask(bytes.length);
    this.#context.reports.push({ tell: 'control', caller: this.number, bytes: new Uint8Array(bytes) });
  }

  /** Whatever it says next waits too, to other sessions as well: a client may rely on the order. */
  #hold(session: string, bytes: Buffer, start: number, end: number): void {
    this.#heldFor = session;
    this.#held = Buffer.from(bytes.subarray(start, end));
    this.#reader.pause();
    this.#share.add(this.#held.length + overheadBytes);
    this.#watch();
  }

  #dropHeld(): Buffer | undefined {
    const held = this.#held;
    this.#heldFor = undefined;
    this.#held = undefined;
    if (held) this.#share.add(-held.length - overheadBytes);
    return held;
  }

  get #isWaiting(): boolean {
    return this.#isAsking || this.#heldFor !== undefined;
  }

  #resume(): void {
    if (!this.#isWaiting) this.#reader.resume();
    this.#watch();
  }

  #text(bytes: Buffer, start: number, end: number): void {
    // On the pipe it would be the end of the message, and what follows another that nobody has judged.
    if (hasZeroByte(bytes, start, end)) {
      this.refuse(refusals.zeroByte);
      return;
    }
    if (this.line.isMuted) return;
    const session = this.#ids.read(bytes, sessionAtOfClient(bytes, start, end));
    const own = session !== undefined && this.sessions.has(session) ? session : undefined;
    if (own !== undefined && this.line.isHeld(own)) {
      this.#hold(own, bytes, start, end);
      return;
    }
    this.line.counted();
    if (own !== undefined && !concernsHost(bytes, start, end)) {
      this.line.sendFrom(this, bytes, start, end);
      return;
    }
    this.#ask(end - start);
    const message = ownBytes(bytes, start, end);
    this.#context.reports.push({ tell: 'asked', caller: this.number, message, session: own });
  }

  #ask(bytes: number): void {
    this.#isAsking = true;
    this.#askedBytes = bytes;
    this.#share.add(bytes);
    this.#reader.pause();
    this.#watch();
  }

  #pending(isPending: boolean): void {
    this.#counters[callerCounters.isPending] = Number(isPending);
    this.#watch();
    if (!isPending && this.#isEnding) shutdown(this.#descriptor, ofWriting);
  }

  #watch(): void {
    if (this.#isDropped) return;
    this.#context.poller.watch(this.#descriptor, this, {
      read: !this.#isWaiting && !this.#isPaused && !this.#isOver,
      write: this.#outlet.pendingBytes > 0,
    });
  }
}

/** To be sent to another thread: as they are where they have their memory to themselves, or else a copy. */
function ownBytes(bytes: Buffer, start: number, end: number): Uint8Array {
  const isWhole = start === 0 && end === bytes.buffer.byteLength;
  return isWhole ? new Uint8Array(bytes.buffer as ArrayBuffer) : new Uint8Array(bytes.subarray(start, end));
}
