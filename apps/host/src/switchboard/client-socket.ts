import type { MessageTap } from '../filters/message-tap.ts';
import { overheadBytes, type Share } from '../memory/byte-budget.ts';
import type { BrowserPipe, PipeClient } from './browser-pipe.ts';
import { CdpSessionIds, clientSessionIdAt, withoutSessionId } from './cdp/session-tail.ts';
import { type Channel, type ChannelHandler, channelEnded } from './channel.ts';
import { type ClientEvent, type ClientState, nextClientState } from './client-state.ts';
import { asBuffer, clientCounters } from './commands.ts';
import { concernsHost } from './concerns-host.ts';
import { HeldMessages } from './held-messages.ts';
import { Outlet } from './outlet.ts';
import { type Refusal, refusals } from './refusals.ts';
import type { ThreadContext } from './thread-context.ts';
import type { SessionTurn } from './turns.ts';
import { FrameReader } from './websocket/frame-reader.ts';
import { hasZeroByte } from './websocket/zero-byte.ts';

export interface ClientStart {
  clientId: number;
  /** The CDP session that the connection stands for. */
  rootCdpSessionId: string;
  /** What has been read from the socket already. */
  firstBytes: Uint8Array;
  counters: Float64Array;
}

/** Why nothing more is read from a client for now. */
type Waiting =
  /** The host looks at this many bytes of its. */
  | { for: 'host'; bytes: number }
  /** Nothing may be sent to the CDP session yet that this message is for. */
  | { for: 'release'; cdpSessionId: string; message: Buffer };

/** A client's socket. Passes on what it sends, or reports to the host what the host must see. */
export class ClientSocket implements ChannelHandler, PipeClient {
  readonly clientId: number;
  readonly cdpSessionIds = new Set<string>();
  readonly turn: SessionTurn;
  readonly #pipe: BrowserPipe;
  readonly #channel: Channel;
  readonly #rootCdpSessionId: string;
  readonly #context: ThreadContext;
  readonly #counters: Float64Array;
  readonly #share: Share;
  readonly #outlet: Outlet;
  readonly #reader: FrameReader;
  readonly #ids = new CdpSessionIds();
  /** Undefined: the session is not recorded. */
  readonly #tap: MessageTap | undefined;
  #state: ClientState = 'open';
  #waiting: Waiting | undefined;
  /** Set while its browser does not take more. */
  #isPaused = false;
  /** Set while a person has the browser to themselves, and what the client sends waits. */
  #isOnHold = false;
  readonly #held: HeldMessages;

  constructor(start: ClientStart, channel: Channel, pipe: BrowserPipe, context: ThreadContext) {
    this.clientId = start.clientId;
    this.#pipe = pipe;
    this.turn = pipe.turn;
    this.#channel = channel;
    this.#rootCdpSessionId = start.rootCdpSessionId;
    this.#context = context;
    this.#counters = start.counters;
    this.#share = pipe.budget.share(() => this.refuse(refusals.tooSlow));
    this.#outlet = new Outlet({
      ...{ channel, share: this.#share },
      onPending: (isPending) => {
        this.#counters[clientCounters.isPending] = Number(isPending);
        this.#watch();
      },
      onError: (error) => this.fail(error),
    });
    const sink = {
      text: (bytes: Buffer, start: number, end: number) => this.#onText(bytes, start, end),
      control: (bytes: Buffer) => this.#onControl(bytes),
      refuse: (refusal: Refusal) => this.refuse(refusal),
    };
    this.#reader = new FrameReader(sink, this.#share);
    this.#tap = pipe.messageTap;
    this.#held = new HeldMessages(this.#share);
    this.#isOnHold = pipe.isOnHold;
    pipe.setOwner(start.rootCdpSessionId, this);
  }

  /** Reads what has been read from the socket already, and then from the socket. */
  start(firstBytes: Buffer): void {
    this.#reader.read(firstBytes, firstBytes.length);
    this.#watch();
  }

  readable(): void {
    if (!this.#isRead) {
      this.#outlet.drain(); // It is gone while something waits to be written, which cannot be any more.
      return;
    }
    const { readBuffer } = this.#context;
    const { turn } = this;
    const count = this.#channel.read(readBuffer, turn.readBytes);
    turn.hasMore = count === turn.readBytes;
    if (count > 0) {
      this.#counters[clientCounters.bytesRead] = (this.#counters[clientCounters.bytesRead] as number) + count;
      this.#reader.read(readBuffer, count);
    } else if (count === channelEnded) {
      if (this.#held.isEmpty) this.#onEnd();
      else this.#held.addEnd();
      this.#watch();
    }
  }

  writable(): void {
    this.#outlet.drain();
  }

  fail(error: unknown): void {
    this.#context.reportError(error);
    this.#reader.close();
    const wasRefused = !this.#isDelivered;
    this.#change('fail');
    if (wasRefused) this.#outlet.abandon();
    else this.#reportRefused(refusals.internalError);
    this.#watch();
  }

  deliver(cdpSessionId: string, bytes: Buffer, start: number, end: number): void {
    if (!this.#isDelivered) return;
    if (this.#outlet.pendingBytes > 0 && !this.#share.fits(end - start)) {
      this.refuse(refusals.tooSlow);
      return;
    }
    const isRoot = cdpSessionId === this.#rootCdpSessionId;
    this.#tap?.delivered(this.clientId, isRoot ? undefined : cdpSessionId, bytes, start, end);
    const last = isRoot ? withoutSessionId(bytes, end) : end;
    this.#context.batch.addText(this.#outlet, bytes, start, last);
  }

  write(bytes: Buffer): void {
    this.#context.batch.add(this.#outlet, bytes);
  }

  /** Ignores the client's messages from now on, and drops at once what is held for it. */
  refuse(refusal: Refusal): void {
    if (this.#change('refuse')) this.#reportRefused(refusal);
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#watch();
  }

  hold(isOnHold: boolean): void {
    this.#isOnHold = isOnHold && this.#state === 'open';
    if (this.#isOnHold) return;
    // What waits comes first, and what is read later after it.
    if (!this.#held.isEmpty) this.#reader.pause();
    this.#readOn();
  }

  /** Reads on after the host has handled what was reported. */
  resume(): void {
    if (this.#waiting?.for === 'host') this.#stopWaiting();
    this.#pipe.pauseIfFull(this);
    this.#readOn();
  }

  /** Sends a message of the client to a CDP session that it has. */
  pass(message: Buffer, cdpSessionId: string): void {
    if (this.#isDelivered) this.#pipe.sendFrom(this, cdpSessionId, message, 0, message.length);
  }

  release(cdpSessionId: string): void {
    const waiting = this.#waiting;
    if (waiting?.for !== 'release' || waiting.cdpSessionId !== cdpSessionId) return;
    this.#stopWaiting();
    this.#onText(waiting.message, 0, waiting.message.length);
    this.#readOn();
  }

  /** Ends the writing side after what waits to be written. */
  endWriting(): void {
    this.#context.batch.flush();
    this.#outlet.end();
  }

  close(): void {
    this.#context.batch.flush();
    if (!this.#change('close')) return;
    this.#reader.close();
    this.#held.clear();
    this.#pipe.removeOwner([this.#rootCdpSessionId, ...this.cdpSessionIds], this);
    this.#outlet.abandon();
    this.#share.close();
    this.#channel.close();
    this.#context.reports.push({ type: 'closed', clientId: this.clientId });
  }

  /** Whether anything is read, if only control frames. */
  get #isRead(): boolean {
    return this.#state === 'open' || this.#state === 'refused';
  }

  get #isDelivered(): boolean {
    return this.#state === 'open' || this.#state === 'hungUp';
  }

  /** Returns whether the event changed the state. */
  #change(event: ClientEvent): boolean {
    const next = nextClientState(this.#state, event);
    if (next) this.#state = next;
    return next !== undefined;
  }

  #reportRefused(refusal: Refusal): void {
    this.#context.batch.flush();
    this.#reader.ignoreMessages();
    this.#held.clear();
    this.#isOnHold = false;
    if (this.#waiting?.for === 'release') {
      this.#stopWaiting();
      this.#reader.resume(); // For its answer to the close.
    }
    const canBeTold = this.#outlet.cutShort();
    this.#watch();
    this.#context.reports.push({ type: 'refused', clientId: this.clientId, refusal, canBeTold });
  }

  #onText(bytes: Buffer, start: number, end: number): void {
    // On the pipe it would end the message, and what follows would be another that nobody has checked.
    if (hasZeroByte(bytes, start, end)) {
      this.refuse(refusals.zeroByte);
      return;
    }
    if (this.#pipe.isMuted) return;
    if (this.#isOnHold) {
      this.#held.add('text', asBuffer(bytesToGive(bytes, start, end)));
      this.#watch();
      return;
    }
    const id = this.#ids.read(bytes, clientSessionIdAt(bytes, start, end));
    const cdpSessionId = id !== undefined && this.cdpSessionIds.has(id) ? id : undefined;
    if (cdpSessionId !== undefined && this.#pipe.isHeld(cdpSessionId)) {
      // Messages to other CDP sessions wait too: a client may rely on the order.
      this.#wait({ for: 'release', cdpSessionId, message: Buffer.from(bytes.subarray(start, end)) });
      return;
    }
    this.#pipe.countMessage();
    this.#tap?.command(this.clientId, cdpSessionId, bytes, start, end);
    if (cdpSessionId !== undefined && !concernsHost(bytes, start, end)) {
      this.#pipe.sendFrom(this, cdpSessionId, bytes, start, end);
      return;
    }
    this.#wait({ for: 'host', bytes: end - start });
    const message = bytesToGive(bytes, start, end);
    this.#context.reports.push({ type: 'clientMessage', clientId: this.clientId, message, cdpSessionId });
  }

  #onControl(bytes: Buffer): void {
    if (this.#isOnHold && this.#held.mustKeep(bytes)) {
      this.#held.add('control', Buffer.from(bytes));
      return;
    }
    this.#wait({ for: 'host', bytes: bytes.length });
    const copy = new Uint8Array(bytes);
    this.#context.reports.push({ type: 'controlFrames', clientId: this.clientId, bytes: copy });
  }

  #onEnd(): void {
    this.#change('hangUp');
    this.#context.reports.push({ type: 'hungUp', clientId: this.clientId });
  }

  #wait(waiting: Waiting): void {
    this.#waiting = waiting;
    this.#share.add(bytesOf(waiting));
    this.#reader.pause();
    this.#watch();
  }

  #stopWaiting(): void {
    if (this.#waiting) this.#share.add(-bytesOf(this.#waiting));
    this.#waiting = undefined;
  }

  #readOn(): void {
    this.#sendHeld();
    if (!this.#waiting && (this.#isOnHold || this.#held.isEmpty)) this.#reader.resume();
    this.#watch();
  }

  /** Handles what the client sent on hold, until something of it has to wait. */
  #sendHeld(): void {
    while (!this.#isOnHold && !this.#waiting) {
      const item = this.#held.take();
      if (!item) return;
      if (item.type === 'text') this.#onText(item.bytes, 0, item.bytes.length);
      else if (item.type === 'control') this.#onControl(item.bytes);
      else this.#onEnd();
    }
  }

  #watch(): void {
    if (this.#state === 'closed') return;
    const isHeldUp = this.#isPaused || this.#held.isFull;
    this.#counters[clientCounters.isPaused] = Number(isHeldUp);
    this.#channel.watch(this, {
      read: this.#isRead && !this.#waiting && !isHeldUp,
      write: this.#outlet.pendingBytes > 0,
    });
  }
}

function bytesOf(waiting: Waiting): number {
  return waiting.for === 'host' ? waiting.bytes : waiting.message.length + overheadBytes;
}

/** Returns bytes to be kept or to give to another thread: as they are if they have their memory to themselves, or else a copy. */
function bytesToGive(bytes: Buffer, start: number, end: number): Uint8Array {
  const isWhole = start === 0 && end === bytes.buffer.byteLength;
  return isWhole ? new Uint8Array(bytes.buffer as ArrayBuffer) : new Uint8Array(bytes.subarray(start, end));
}
