import { HiddenScripts, type ScriptIdentity } from '../filters/hidden-scripts.ts';
import { MessageTap } from '../filters/message-tap.ts';
import { ByteBudget, type Share } from '../memory/byte-budget.ts';
import { StealthSessions } from '../stealth/stealth-sessions.ts';
import { firstBytes, lastBytes, withoutBody } from './cdp/large-pause.ts';
import { MessageSplitter } from './cdp/message-splitter.ts';
import { CdpSessionIds, sessionIdAt, sessionIdMember } from './cdp/session-tail.ts';
import { maxParsedBytes, readAttached, readDetached, targetEvent } from './cdp/target-messages.ts';
import { type Channel, type ChannelHandler, channelEnded } from './channel.ts';
import { pipeCounters } from './commands.ts';
import { Outlet } from './outlet.ts';
import { type Refusal, refusals } from './refusals.ts';
import type { ThreadContext } from './thread-context.ts';
import { SessionTurn } from './turns.ts';

/** Clients that send more than this to a browser that does not read are paused. */
const maxPendingBytes = 16 * 2 ** 20;

/** A browser that sends the host more than this before the host has handled it is not read from. */
const maxUnhandledCharacters = 4 * 2 ** 20;

/** CDP sessions that one client may have. More are refused one by one, or with the client if they came by themselves. */
export const maxClientCdpSessions = 2000;
/** Those that it asked for meanwhile. */
const attachingCdpSessions = 500;
/** What one takes, on both threads. The first are not counted: every session has some. */
const cdpSessionBytes = 1500;
const uncountedCdpSessions = 100;

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
export interface PipeClient {
  readonly clientId: number;
  /** The CDP sessions that this client attached, or that attached themselves on its behalf. */
  readonly cdpSessionIds: Set<string>;
  /** Sends a message of the browser to the client. */
  deliver(cdpSessionId: string, bytes: Buffer, start: number, end: number): void;
  /** Closes the client, and says why. */
  refuse(refusal: Refusal): void;
  /** Stops reading from the client, or starts again. */
  pause(isPaused: boolean): void;
  /** Lets messages go to the CDP session from now on. */
  release(cdpSessionId: string): void;
  /** Keeps back what the client sends, or passes it on, in order. */
  hold(isOnHold: boolean): void;
}

/**
 * - open: messages pass both ways;
 * - muted: what clients send is ignored;
 * - ended: the pipe is closed.
 */
type PipeState = 'open' | 'muted' | 'ended';

/** A browser's DevTools pipe. Knows which client has which CDP session, and routes messages by that. */
export class BrowserPipe implements ChannelHandler {
  /** The session's byte budget. */
  readonly budget: ByteBudget;
  /** The session's part of the thread's time. */
  readonly turn: SessionTurn;
  readonly #pipeId: number;
  readonly #channels: PipeChannels;
  readonly #context: ThreadContext;
  readonly #outlet: Outlet;
  readonly #splitter: MessageSplitter;
  readonly #ids = new CdpSessionIds();
  readonly #counters: Float64Array;
  /** Clients by their CDP sessions. */
  readonly #owners = new Map<string, PipeClient>();
  /** CDP sessions that nothing may be sent to yet, and whose they are. */
  readonly #held = new Map<string, PipeClient>();
  /** Hidden scripts by the CDP sessions that are told of scripts. */
  readonly #hidden = new Map<string, HiddenScripts>();
  /** Hides clients from pages; undefined: the session is without `stealth`. */
  #stealth: StealthSessions | undefined;
  #tap: MessageTap | undefined;
  readonly #paused = new Set<PipeClient>();
  /** Pays for CDP sessions. */
  readonly #share: Share;
  readonly #onEnded: () => void;
  /** Whether what clients send waits. */
  #isOnHold = false;
  #unhandledCharacters = 0;
  #state: PipeState = 'open';

  constructor(start: PipeStart, channels: PipeChannels, context: ThreadContext, onEnded: () => void) {
    this.#pipeId = start.pipeId;
    this.#channels = channels;
    this.#context = context;
    this.#counters = start.counters;
    this.turn = new SessionTurn(start.pipeId, start.counters);
    this.#onEnded = onEnded;
    this.budget = new ByteBudget(start.budgetBytes, start.heldBytes, 'switchboard');
    this.#share = this.budget.share();
    const fail = (error: unknown) => this.fail(error);
    const drain = () => this.#outlet.drain();
    const inputHandler: ChannelHandler = { turn: this.turn, readable: drain, writable: drain, fail };
    this.#outlet = new Outlet({
      ...{ channel: channels.input, share: this.budget.share(), onError: fail },
      onPending: (isPending) => {
        channels.input.watch(inputHandler, { read: false, write: isPending });
        if (!isPending) this.#resumePaused();
      },
    });
    const sink = {
      message: (bytes: Buffer, start: number, end: number) => this.#onMessage(bytes, start, end),
      tooLarge: (last: Buffer, _length: number, first: Buffer) => this.#onTooLarge(first, last),
    };
    this.#splitter = new MessageSplitter(sink, this.budget.share());
    this.#watch();
  }

  /** Whether what clients send is ignored. */
  get isMuted(): boolean {
    return this.#state !== 'open';
  }

  get isOnHold(): boolean {
    return this.#isOnHold;
  }

  /** Keeps back what clients send, or passes it on. Nothing is kept back for a browser that ends. */
  hold(isOnHold: boolean): void {
    this.#isOnHold = isOnHold && this.#state === 'open';
    for (const client of new Set(this.#owners.values())) client.hold(this.#isOnHold);
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
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#outlet.abandon();
    this.#splitter.close();
    this.#channels.output.close();
    this.#channels.input.close();
    this.#resumePaused();
    this.hold(false);
    this.#context.reports.push({ type: 'ended', pipeId: this.#pipeId });
    this.#onEnded();
  }

  mute(): void {
    if (this.#state === 'open') this.#state = 'muted';
    this.hold(false);
  }

  /** Sends one whole message to the browser. */
  send(bytes: Buffer, start: number, end: number): void {
    if (this.#state === 'ended') return;
    this.#context.batch.addMessage(this.#outlet, bytes, start, end);
  }

  /** Sends a message to a CDP session that it does not name yet: the id goes where its last brace is. */
  sendTo(cdpSessionId: string, bytes: Buffer, end: number): void {
    if (this.#state === 'ended') return;
    const ending = Buffer.from(sessionIdMember(cdpSessionId));
    const owner = this.#stealth && this.#owners.get(cdpSessionId);
    if (owner) this.#sendHidden(owner, cdpSessionId, Buffer.concat([bytes.subarray(0, end), ending]));
    else this.#context.batch.addMessage(this.#outlet, bytes, 0, end, ending);
  }

  /** Sends a message of the client to a CDP session of its own. */
  sendFrom(client: PipeClient, cdpSessionId: string, bytes: Buffer, start: number, end: number): void {
    const isHidden = this.#stealth && this.#owners.get(cdpSessionId) === client;
    if (isHidden) this.#sendHidden(client, cdpSessionId, bytes.subarray(start, end));
    else this.send(bytes, start, end);
    this.pauseIfFull(client);
  }

  /** Hides clients from pages from now on. Call before there are clients. */
  hideClients(): void {
    this.#stealth ??= new StealthSessions(this.budget.share());
  }

  /** Reports commands and answers to the host from now on. Call before there are clients. */
  tap(): void {
    this.#tap ??= new MessageTap({
      report: (message) => this.#context.reports.push({ type: 'tapped', pipeId: this.#pipeId, message }),
      reserve: (characters) => this.#reserve(characters),
    });
  }

  /** Undefined: the session is not recorded. */
  get messageTap(): MessageTap | undefined {
    return this.#tap;
  }

  /** Pauses the client when the browser does not read what it is sent. */
  pauseIfFull(client: PipeClient): void {
    if (this.#outlet.pendingBytes <= maxPendingBytes) return;
    this.#paused.add(client);
    client.pause(true);
  }

  /** Whether nothing may be sent to the CDP session yet. */
  isHeld(cdpSessionId: string): boolean {
    return this.#held.size > 0 && this.#held.has(cdpSessionId);
  }

  release(cdpSessionId: string): void {
    const client = this.#held.get(cdpSessionId);
    this.#held.delete(cdpSessionId);
    client?.release(cdpSessionId);
  }

  hideScripts(cdpSessionId: string, scripts: readonly ScriptIdentity[]): void {
    if (this.#owners.has(cdpSessionId) && !this.#hidden.has(cdpSessionId)) {
      this.#hidden.set(cdpSessionId, new HiddenScripts(scripts));
    }
  }

  /** Says that the host has handled so many characters. */
  handled(characters: number): void {
    this.#unhandledCharacters -= characters;
    this.#watch();
  }

  setOwner(cdpSessionId: string, client: PipeClient): void {
    if (this.#owners.size >= uncountedCdpSessions && !this.#owners.has(cdpSessionId)) {
      this.#share.add(cdpSessionBytes);
    }
    this.#owners.set(cdpSessionId, client);
  }

  removeOwner(cdpSessionIds: Iterable<string>, client: PipeClient): void {
    for (const cdpSessionId of cdpSessionIds) {
      this.#removeOwner(cdpSessionId);
      this.#held.delete(cdpSessionId);
      this.#hidden.delete(cdpSessionId);
      this.#stealth?.delete(cdpSessionId);
    }
    this.#paused.delete(client);
  }

  countMessage(): void {
    this.#counters[pipeCounters.messages] = (this.#counters[pipeCounters.messages] as number) + 1;
  }

  #onMessage(bytes: Buffer, start: number, end: number): void {
    const cdpSessionId = this.#ids.read(bytes, sessionIdAt(bytes, start, end));
    const owner = cdpSessionId === undefined ? undefined : this.#owners.get(cdpSessionId);
    if (cdpSessionId === undefined || owner === undefined) {
      this.#reportMessage(bytes, start, end, cdpSessionId);
      return;
    }
    this.countMessage();
    const event = targetEvent(bytes, start, end);
    if (event === 'attached') this.#onAttached(owner, bytes.subarray(start, end), cdpSessionId);
    else if (event === 'detached') this.#onDetached(owner, bytes.subarray(start, end));
    const hidden = this.#hidden.size === 0 ? undefined : this.#hidden.get(cdpSessionId);
    const told = this.#stealth?.fromBrowser(cdpSessionId, bytes, start, end);
    const other = told === undefined ? hidden?.replace(bytes, start, end) : told;
    if (other === undefined) owner.deliver(cdpSessionId, bytes, start, end);
    else if (other) owner.deliver(cdpSessionId, other, 0, other.length);
  }

  /** Sends a client's message as far as it does not tell the page of the client. */
  #sendHidden(client: PipeClient, cdpSessionId: string, message: Buffer): void {
    const wire = () => ({
      toBrowser: (text: string) => this.#sendText(text),
      toClient: (text: string) => {
        const bytes = Buffer.from(text);
        client.deliver(cdpSessionId, bytes, 0, bytes.length);
      },
    });
    const other = this.#stealth?.fromClient(cdpSessionId, message, wire);
    if (other === 'no room') {
      client.refuse(refusals.noRoom);
      return;
    }
    const sent = other === undefined ? message : other;
    if (sent) this.send(sent, 0, sent.length);
  }

  #sendText(text: string): void {
    const bytes = Buffer.from(text);
    this.send(bytes, 0, bytes.length);
  }

  /** Reports a message of no client's CDP session. A very large one is an answer to a client that has gone, mostly. */
  #reportMessage(bytes: Buffer, start: number, end: number, cdpSessionId: string | undefined): void {
    if (end - start <= maxParsedBytes) this.#report(bytes.toString('utf8', start, end));
    else {
      const first = bytes.subarray(start, Math.min(end, start + firstBytes));
      const last = bytes.subarray(Math.max(start, end - lastBytes), end);
      this.#report(withoutBody(first, last, cdpSessionId ?? ''));
    }
  }

  #report(text: string | undefined): void {
    if (text === undefined) return;
    this.#context.reports.push({ type: 'message', pipeId: this.#pipeId, text });
    this.#unhandledCharacters += text.length;
    if (this.#unhandledCharacters > maxUnhandledCharacters) this.#watch();
  }

  /** Closes the client that a dropped message was for, and says why: it would wait for the message. */
  #onTooLarge(first: Buffer, last: Buffer): void {
    const cdpSessionId = this.#ids.read(last, sessionIdAt(last, 0, last.length));
    const owner = cdpSessionId === undefined ? undefined : this.#owners.get(cdpSessionId);
    if (owner) owner.refuse(refusals.resultTooLarge);
    else this.#report(withoutBody(first, last, cdpSessionId ?? ''));
  }

  /** Holds the new CDP session until the host releases it: it may have to be told something first. */
  #onAttached(client: PipeClient, message: Buffer, parent: string): void {
    const target = readAttached(message);
    const cdpSessionId = target.sessionId;
    client.cdpSessionIds.add(cdpSessionId);
    this.setOwner(cdpSessionId, client);
    if (client.cdpSessionIds.size > maxClientCdpSessions + attachingCdpSessions) {
      client.refuse(refusals.tooManySessions);
    }
    this.#held.set(cdpSessionId, client);
    const { clientId } = client;
    this.#context.reports.push({ type: 'attached', pipeId: this.#pipeId, clientId, target, parent });
  }

  #onDetached(owner: PipeClient, message: Buffer): void {
    const cdpSessionId = readDetached(message);
    const client = this.#owners.get(cdpSessionId) ?? owner;
    client.cdpSessionIds.delete(cdpSessionId);
    this.#removeOwner(cdpSessionId);
    this.#hidden.delete(cdpSessionId);
    this.#stealth?.delete(cdpSessionId);
    this.release(cdpSessionId);
    const { clientId } = client;
    this.#context.reports.push({ type: 'detached', pipeId: this.#pipeId, clientId, cdpSessionId });
  }

  #removeOwner(cdpSessionId: string): void {
    const isCounted = this.#owners.delete(cdpSessionId) && this.#owners.size >= uncountedCdpSessions;
    if (isCounted) this.#share.add(-cdpSessionBytes);
  }

  /** Returns whether the host can be told so many characters more; then they count as not handled. */
  #reserve(characters: number): boolean {
    if (this.#unhandledCharacters + characters > maxUnhandledCharacters) return false;
    this.#unhandledCharacters += characters;
    return true;
  }

  #resumePaused(): void {
    for (const client of this.#paused) client.pause(false);
    this.#paused.clear();
  }

  #watch(): void {
    if (this.#state === 'ended') return;
    const read = this.#unhandledCharacters <= maxUnhandledCharacters;
    this.#channels.output.watch(this, { read, write: false });
  }
}
