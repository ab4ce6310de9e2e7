import type { Share } from '../../memory/byte-budget.ts';
import type { BrowserPipe, PipeClient } from '../browser-pipe.ts';
import { CdpSessionIds, clientSessionIdAt, withoutSessionId } from '../cdp/session-tail.ts';
import { type Channel, type ChannelHandler, channelEnded } from '../channel/channel.ts';
import { Outlet } from '../channel/outlet.ts';
import { type Refusal, refusals } from '../refusals.ts';
import { asBuffer, clientCounters } from '../reports.ts';
import type { ThreadContext } from '../thread-context.ts';
import type { SessionTurn } from '../turns.ts';
import { FrameReader } from '../websocket/frame-reader.ts';
import { hasZeroByte } from '../websocket/zero-byte.ts';
import { Backlog } from './backlog.ts';
import { type ClientEvent, type ClientState, nextClientState } from './client-state.ts';

export interface ClientStart {
  clientId: number;
  /** The CDP session that the connection stands for. */
  rootCdpSessionId: string;
  /** What has been read from the socket already. */
  firstBytes: Uint8Array;
  counters: Float64Array;
}

/** A client's socket. Passes on what it sends, or reports to the host what the host must see. */
export class ClientSocket implements ChannelHandler, PipeClient {
  readonly clientId: number;
  readonly rootCdpSessionId: string;
  readonly cdpSessionIds = new Set<string>();
  readonly turn: SessionTurn;
  readonly #pipe: BrowserPipe;
  readonly #channel: Channel;
  readonly #context: ThreadContext;
  readonly #counters: Float64Array;
  readonly #share: Share;
  readonly #outlet: Outlet;
  readonly #reader: FrameReader;
  readonly #ids = new CdpSessionIds();
  #state: ClientState = 'open';
  /** How many bytes of its the host looks at; undefined means none. It is not read from meanwhile. */
  #shownBytes: number | undefined;
  /** Set while its browser does not take more. */
  #isBackpressured = false;
  /** What it sent that may not be sent on yet. */
  readonly #backlog: Backlog;

  constructor(start: ClientStart, channel: Channel, pipe: BrowserPipe, context: ThreadContext) {
    this.clientId = start.clientId;
    this.#pipe = pipe;
    this.turn = pipe.turn;
    this.#channel = channel;
    this.rootCdpSessionId = start.rootCdpSessionId;
    this.#context = context;
    this.#counters = start.counters;
    this.#share = pipe.budget.share(() => this.refuse(refusals.tooSlow));
    this.#outlet = new Outlet({
      channel,
      share: this.#share,
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
    this.#backlog = new Backlog(this.#share);
    pipe.setOwner(start.rootCdpSessionId, this);
  }

  /** Reads what has been read from the socket already, and then from the socket. */
  start(firstBytes: Buffer): void {
    this.#reader.read(firstBytes, firstBytes.length);
    this.#watch();
  }

  get isDelivered(): boolean {
    return this.#state === 'open' || this.#state === 'hungUp';
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
      if (this.#backlog.isEmpty) this.#onEnd();
      else this.#backlog.add({ type: 'end' });
      this.#watch();
    }
  }

  writable(): void {
    this.#outlet.drain();
  }

  fail(error: unknown): void {
    this.#context.reportError(error);
    this.#reader.close();
    const wasRefused = !this.isDelivered;
    this.#change('fail');
    if (wasRefused) this.#outlet.abandon();
    else this.#reportRefused(refusals.internalError);
    this.#watch();
  }

  deliver(cdpSessionId: string, bytes: Buffer, start: number, end: number): void {
    if (!this.isDelivered) return;
    if (this.#outlet.pendingBytes > 0 && !this.#share.fits(end - start)) {
      this.refuse(refusals.tooSlow);
      return;
    }
    const last = cdpSessionId === this.rootCdpSessionId ? withoutSessionId(bytes, end) : end;
    this.#context.batch.addText(this.#outlet, bytes, start, last);
  }

  write(bytes: Buffer): void {
    this.#context.batch.add(this.#outlet, bytes);
  }

  /** Ignores the client's messages from now on, and drops at once what is held for it. */
  refuse(refusal: Refusal): void {
    if (this.#change('refuse')) this.#reportRefused(refusal);
  }

  refuseForRoom(): void {
    this.refuse(refusals.noRoom);
  }

  backpressure(isBackpressured: boolean): void {
    this.#isBackpressured = isBackpressured;
    this.#watch();
  }

  showHost(cdpSessionId: string | undefined, bytes: Buffer, start: number, end: number): void {
    this.#waitForHost(end - start);
    const message = bytesToGive(bytes, start, end);
    this.#context.reports.push({ type: 'clientMessage', clientId: this.clientId, message, cdpSessionId });
  }

  /** Reads on after the host has handled what was reported. */
  handled(): void {
    this.#stopWaiting();
    this.#pipe.backpressureIfFull(this);
    this.readOn();
  }

  /** Sends a message of the client to a CDP session that it has. */
  pass(message: Buffer, cdpSessionId: string): void {
    if (this.isDelivered) this.#pipe.passFrom(this, cdpSessionId, message);
  }

  readOn(): void {
    this.#sendBacklog();
    if (this.#shownBytes === undefined) this.#reader.goOn();
    this.#watch();
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
    this.#backlog.clear();
    this.#pipe.removeOwner([this.rootCdpSessionId, ...this.cdpSessionIds], this);
    this.#outlet.abandon();
    this.#share.close();
    this.#channel.close();
    this.#context.reports.push({ type: 'closed', clientId: this.clientId });
  }

  /** Whether anything is read, if only control frames. */
  get #isRead(): boolean {
    return this.#state === 'open' || this.#state === 'refused';
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
    this.#backlog.clear();
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
    if (this.#backlog.isEmpty && this.#send(bytes, start, end)) return;
    // Messages to other CDP sessions wait too: a client may rely on the order.
    this.#backlog.add({ type: 'text', bytes: asBuffer(bytesToGive(bytes, start, end)) });
    this.#watch();
  }

  /** Sends a message on. Returns false if it has to wait. */
  #send(bytes: Buffer, start: number, end: number): boolean {
    const id = this.#ids.read(bytes, clientSessionIdAt(bytes, start, end));
    const cdpSessionId = id !== undefined && this.cdpSessionIds.has(id) ? id : undefined;
    return this.#pipe.sendFrom(this, cdpSessionId, bytes, start, end);
  }

  #onControl(bytes: Buffer): void {
    if (this.#backlog.mustKeep(bytes)) this.#backlog.add({ type: 'control', bytes: Buffer.from(bytes) });
    else this.#reportControl(bytes);
  }

  #reportControl(bytes: Buffer): void {
    this.#waitForHost(bytes.length);
    const copy = new Uint8Array(bytes);
    this.#context.reports.push({ type: 'controlFrames', clientId: this.clientId, bytes: copy });
  }

  #onEnd(): void {
    this.#change('hangUp');
    this.#context.reports.push({ type: 'hungUp', clientId: this.clientId });
  }

  #waitForHost(bytes: number): void {
    this.#shownBytes = bytes;
    this.#share.add(bytes);
    this.#reader.stop();
    this.#watch();
  }

  #stopWaiting(): void {
    this.#share.add(-(this.#shownBytes ?? 0));
    this.#shownBytes = undefined;
  }

  /** Sends on what waits, until something of it has to wait again. */
  #sendBacklog(): void {
    while (this.#shownBytes === undefined) {
      const item = this.#backlog.take();
      if (!item) return;
      if (item.type === 'end') this.#onEnd();
      else if (item.type === 'control') this.#reportControl(item.bytes);
      else if (!this.#send(item.bytes, 0, item.bytes.length)) {
        this.#backlog.putBack(item);
        return;
      }
    }
  }

  #watch(): void {
    if (this.#state === 'closed') return;
    const isBackpressured = this.#isBackpressured || this.#backlog.isFull;
    this.#counters[clientCounters.isBackpressured] = Number(isBackpressured);
    this.#channel.watch(this, {
      read: this.#isRead && this.#shownBytes === undefined && !isBackpressured,
      write: this.#outlet.pendingBytes > 0,
    });
  }
}

/** Returns bytes to be kept or to give to another thread: as they are if they have their memory to themselves, or else a copy. */
function bytesToGive(bytes: Buffer, start: number, end: number): Uint8Array {
  const isWhole = start === 0 && end === bytes.buffer.byteLength;
  return isWhole ? new Uint8Array(bytes.buffer as ArrayBuffer) : new Uint8Array(bytes.subarray(start, end));
}
