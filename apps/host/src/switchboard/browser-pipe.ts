import type { FilteredClient } from '../filters/message-filter.ts';
import { MutedClients } from '../filters/muted-clients.ts';
import { PausedClients } from '../filters/paused-clients.ts';
import { StandbyWatch } from '../filters/standby-watch.ts';
import { UnreleasedSessions } from '../filters/unreleased-sessions.ts';
import { ByteBudget } from '../memory/byte-budget.ts';
import { MessageSplitter } from './cdp/message-splitter.ts';
import { CdpSessionIds, sessionIdAt, sessionIdMember } from './cdp/session-tail.ts';
import { readAttached, readDetached, targetEvent } from './cdp/target-messages.ts';
import { type Channel, type ChannelHandler, channelEnded } from './channel/channel.ts';
import { Outlet } from './channel/outlet.ts';
import { FilterChain } from './filter-chain.ts';
import { HostFilter } from './host-filter.ts';
import { MessageReports } from './message-reports.ts';
import { maxClientCdpSessions, type Refusal, refusals } from './refusals.ts';
import { pipeCounters } from './reports.ts';
import { SessionOwners } from './session-owners.ts';
import type { ThreadContext } from './thread-context.ts';
import { SessionTurn } from './turns.ts';

/** Clients that send more than this to a browser that does not read are backpressured. */
const maxPendingBytes = 16 * 2 ** 20;

/** CDP sessions that a client may have besides `maxClientCdpSessions`: those that it asked for meanwhile. */
const attachingCdpSessions = 500;

export interface PipeStart {
  pipeId: number;
  counters: Float64Array;
  /** What may be held for the session at once, and what each side holds of it. */
  budgetBytes: number;
  heldBytes: Float64Array;
}

/** The two channels of a DevTools pipe: to the browser's input, and from its output. */
export interface PipeChannels {
  input: Channel;
  output: Channel;
}

/** A client as its browser's pipe knows it. */
export interface PipeClient extends FilteredClient {
  /** The CDP sessions that this client attached, or that attached themselves on its behalf. */
  readonly cdpSessionIds: Set<string>;
  /** Whether messages are delivered to it. */
  readonly isDelivered: boolean;
  /** Closes the client, and says why. */
  refuse(refusal: Refusal): void;
  /** Stops reading from the client, because its browser takes no more, or starts again. */
  backpressure(isBackpressured: boolean): void;
  /** Sends on what waits, as far as it may go now, and reads on. */
  readOn(): void;
}

/** A browser's DevTools pipe. Knows which client has which CDP session, and routes messages by that. */
export class BrowserPipe implements ChannelHandler {
  /** The session's byte budget. */
  readonly budget: ByteBudget;
  /** The session's part of the thread's time. */
  readonly turn: SessionTurn;
  /** What looks at messages between the browser and its clients. */
  readonly filters = new FilterChain((bytes, start, end) => this.send(bytes, start, end));
  /** What the host is told of messages. */
  readonly reports: MessageReports;
  readonly #pipeId: number;
  readonly #channels: PipeChannels;
  readonly #context: ThreadContext;
  readonly #outlet: Outlet;
  readonly #splitter: MessageSplitter;
  readonly #ids = new CdpSessionIds();
  readonly #counters: Float64Array;
  readonly #owners: SessionOwners<PipeClient>;
  readonly #unreleased: UnreleasedSessions;
  readonly #host: HostFilter;
  readonly #backpressured = new Set<PipeClient>();
  readonly #onEnded: () => void;
  #hasEnded = false;

  constructor(start: PipeStart, channels: PipeChannels, context: ThreadContext, onEnded: () => void) {
    this.#pipeId = start.pipeId;
    this.#channels = channels;
    this.#context = context;
    this.#counters = start.counters;
    this.reports = new MessageReports(start.pipeId, context.reports);
    this.turn = new SessionTurn(start.pipeId, start.counters);
    this.#onEnded = onEnded;
    this.budget = new ByteBudget(start.budgetBytes, start.heldBytes, 'switchboard');
    this.#owners = new SessionOwners(this.budget.share());
    this.#unreleased = this.filters.use('unreleased', () => new UnreleasedSessions());
    this.#host = this.filters.use('host', () => new HostFilter(() => this.#countMessage()));
    const fail = (error: unknown) => this.fail(error);
    const drain = () => this.#outlet.drain();
    const inputHandler: ChannelHandler = { turn: this.turn, readable: drain, writable: drain, fail };
    this.#outlet = new Outlet({
      channel: channels.input,
      share: this.budget.share(),
      onError: fail,
      onPending: (isPending) => {
        channels.input.watch(inputHandler, { read: false, write: isPending });
        if (!isPending) this.#endBackpressure();
      },
    });
    const sink = {
      message: (bytes: Buffer, start: number, end: number) => this.#onMessage(bytes, start, end),
      tooLarge: (last: Buffer, _length: number, first: Buffer) => this.#onTooLarge(first, last),
    };
    this.#splitter = new MessageSplitter(sink, this.budget.share());
    this.#watch();
  }

  /** Lets what clients send wait, those that connect meanwhile included, or passes it on, and reports that it is done. */
  pauseClients(isPaused: boolean): void {
    this.filters.use('paused', () => new PausedClients()).isPaused = isPaused;
    if (!isPaused) this.#readOn();
    this.#context.reports.push({ type: 'clientsPaused', pipeId: this.#pipeId });
  }

  /** Has the next message of a client reported, or no longer, and reports that it is done. */
  standby(isAsleep: boolean): void {
    this.#standbyWatch().isAsleep = isAsleep;
    this.#context.reports.push({ type: 'standbySet', pipeId: this.#pipeId });
  }

  answered(cdpSessionId: string): void {
    this.#standbyWatch().answered(cdpSessionId);
  }

  readable(): void {
    const { readBuffer } = this.#context;
    const { turn } = this;
    const count = this.#channels.output.read(readBuffer, turn.readBytes);
    turn.hasMore = count === turn.readBytes;
    if (count > 0) this.#splitter.read(readBuffer, count);
    else if (count === channelEnded) this.end();
  }

  writable(): void {}

  /** Also called when the browser writes what cannot be read: then somebody has taken it over. */
  fail(error: unknown): void {
    this.#context.reportError(error);
    this.end();
  }

  /** Closes the pipe and reports it. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#outlet.abandon();
    this.#splitter.close();
    this.#channels.output.close();
    this.#channels.input.close();
    this.#endBackpressure();
    this.mute();
    this.#context.reports.push({ type: 'ended', pipeId: this.#pipeId });
    this.#onEnded();
  }

  /** Ignores what clients send from now on, and what waits. */
  mute(): void {
    this.filters.use('muted', () => new MutedClients());
    this.#readOn();
  }

  /** Sends one whole message to the browser. */
  send(bytes: Buffer, start: number, end: number): void {
    if (this.#hasEnded) return;
    this.#context.batch.addMessage(this.#outlet, bytes, start, end);
  }

  /** Sends a message to a CDP session that it does not name yet: the id goes where its last brace is. */
  sendTo(cdpSessionId: string, bytes: Buffer, end: number): void {
    if (this.#hasEnded) return;
    const ending = Buffer.from(sessionIdMember(cdpSessionId));
    const client = this.filters.isLast(this.#host) ? undefined : this.#owners.get(cdpSessionId);
    if (!client) this.#context.batch.addMessage(this.#outlet, bytes, 0, end, ending);
    else this.passFrom(client, cdpSessionId, Buffer.concat([bytes.subarray(0, end), ending]));
  }

  /** Sends a client's message to a CDP session of its own, or else to the host. Returns false if it has to wait. */
  sendFrom(
    client: PipeClient,
    cdpSessionId: string | undefined,
    bytes: Buffer,
    start: number,
    end: number,
  ): boolean {
    const isSent = this.filters.fromClient(client, cdpSessionId, bytes, start, end);
    this.backpressureIfFull(client);
    return isSent;
  }

  /** Sends a message of the client that the host has seen. */
  passFrom(client: PipeClient, cdpSessionId: string, message: Buffer): void {
    const isOwn = this.#owners.get(cdpSessionId) === client;
    if (isOwn) this.filters.fromClient(client, cdpSessionId, message, 0, message.length, this.#host);
    else this.send(message, 0, message.length);
    this.backpressureIfFull(client);
  }

  /** Stops reading from the client when the browser does not read what it is sent. */
  backpressureIfFull(client: PipeClient): void {
    if (this.#outlet.pendingBytes <= maxPendingBytes) return;
    this.#backpressured.add(client);
    client.backpressure(true);
  }

  /** Lets messages go to the CDP session from now on. */
  release(cdpSessionId: string): void {
    this.#unreleased.release(cdpSessionId);
    this.#owners.get(cdpSessionId)?.readOn();
  }

  hasOwner(cdpSessionId: string): boolean {
    return this.#owners.get(cdpSessionId) !== undefined;
  }

  /** Says that the host has handled so many characters. */
  handled(characters: number): void {
    this.reports.handled(characters);
    this.#watch();
  }

  setOwner(cdpSessionId: string, client: PipeClient): void {
    this.#owners.set(cdpSessionId, client);
  }

  /** Forgets a client and its CDP sessions. */
  removeOwner(cdpSessionIds: Iterable<string>, client: PipeClient): void {
    for (const cdpSessionId of cdpSessionIds) this.#detach(cdpSessionId);
    this.#backpressured.delete(client);
  }

  #onMessage(bytes: Buffer, start: number, end: number): void {
    const cdpSessionId = this.#ids.read(bytes, sessionIdAt(bytes, start, end));
    const owner = cdpSessionId === undefined ? undefined : this.#owners.get(cdpSessionId);
    if (cdpSessionId === undefined || owner === undefined) {
      this.reports.add(bytes, start, end, cdpSessionId);
      if (this.reports.isFull) this.#watch();
      return;
    }
    this.#countMessage();
    const event = targetEvent(bytes, start, end);
    if (event === 'attached') this.#onAttached(owner, bytes.subarray(start, end), cdpSessionId);
    else if (event === 'detached') this.#onDetached(owner, bytes.subarray(start, end));
    if (owner.isDelivered) this.filters.fromBrowser(owner, cdpSessionId, bytes, start, end);
  }

  /** Closes the client that a dropped message was for, and says why: it would wait for the message. */
  #onTooLarge(first: Buffer, last: Buffer): void {
    const cdpSessionId = this.#ids.read(last, sessionIdAt(last, 0, last.length));
    const owner = cdpSessionId === undefined ? undefined : this.#owners.get(cdpSessionId);
    if (owner) owner.refuse(refusals.resultTooLarge);
    else this.reports.addLarge(first, last, cdpSessionId);
  }

  #onAttached(client: PipeClient, message: Buffer, parent: string): void {
    const target = readAttached(message);
    const cdpSessionId = target.sessionId;
    client.cdpSessionIds.add(cdpSessionId);
    this.#owners.set(cdpSessionId, client);
    if (client.cdpSessionIds.size > maxClientCdpSessions + attachingCdpSessions) {
      client.refuse(refusals.tooManySessions);
    }
    this.#unreleased.add(cdpSessionId);
    if (target.targetInfo.type === 'browser') this.#host.addBrowserSession(cdpSessionId);
    const { clientId } = client;
    this.#context.reports.push({ type: 'attached', pipeId: this.#pipeId, clientId, target, parent });
  }

  #onDetached(owner: PipeClient, message: Buffer): void {
    const cdpSessionId = readDetached(message);
    const client = this.#owners.get(cdpSessionId) ?? owner;
    client.cdpSessionIds.delete(cdpSessionId);
    this.#detach(cdpSessionId);
    client.readOn();
    const { clientId } = client;
    this.#context.reports.push({ type: 'detached', pipeId: this.#pipeId, clientId, cdpSessionId });
  }

  #detach(cdpSessionId: string): void {
    this.#owners.delete(cdpSessionId);
    this.filters.detached(cdpSessionId);
  }

  #readOn(): void {
    for (const client of this.#owners.clients()) client.readOn();
  }

  #endBackpressure(): void {
    for (const client of this.#backpressured) client.backpressure(false);
    this.#backpressured.clear();
  }

  #standbyWatch(): StandbyWatch {
    const onNeeded = () => void this.#context.reports.push({ type: 'needed', pipeId: this.#pipeId });
    const onUnanswered = (count: number) => {
      this.#counters[pipeCounters.unanswered] = count;
    };
    return this.filters.use('standby', () => new StandbyWatch(onNeeded, onUnanswered));
  }

  #countMessage(): void {
    this.#counters[pipeCounters.messages] = (this.#counters[pipeCounters.messages] as number) + 1;
  }

  #watch(): void {
    if (this.#hasEnded) return;
    this.#channels.output.watch(this, { read: !this.reports.isFull, write: false });
  }
}
