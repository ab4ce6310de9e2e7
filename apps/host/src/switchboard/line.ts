import type { AttachedTarget } from '../chromium/protocol.ts';
import { SessionIds, sessionAt, sessionMember } from '../chromium/session-tail.ts';
import { refusals } from '../relay/refusals.ts';
import { ByteBudget } from './byte-budget.ts';
import type { Caller } from './caller.ts';
import { HiddenScripts, type ScriptIdentity } from './hidden-scripts.ts';
import { close, mayTryAgain, read } from './libc.ts';
import { MessageSplitter } from './message-splitter.ts';
import { lineCounters, type Order } from './orders.ts';
import { Outlet } from './outlet.ts';
import type { Ready } from './poller.ts';
import type { ThreadContext } from './thread-context.ts';

const attachedPrefix = Buffer.from('{"method":"Target.attachedToTarget",');
const detachedPrefix = Buffer.from('{"method":"Target.detachedFromTarget",');

/** Of most messages a byte tells that they are neither. */
const methodAt = '{"method":"'.length;
const firstOfTarget = 'T'.charCodeAt(0);

/** Past this, clients that go on sending to a browser that does not read are paused. */
const maxPendingBytes = 16 * 2 ** 20;

/** Characters. Past this, a browser that goes on telling the host things is not read from. */
const maxUnhandled = 4 * 2 ** 20;

/** Past this, nothing is made of a message but bytes: Chromium tells the host, or of a target, less. */
const maxParsedBytes = 16 * 2 ** 20;

/** A browser's DevTools pipe, and whose each session is. */
export class Line implements Ready {
  readonly number: number;
  /** Of the session. */
  readonly budget: ByteBudget;
  /** Nothing that clients say counts any more. */
  isMuted = false;
  readonly #output: number;
  readonly #context: ThreadContext;
  readonly #outlet: Outlet;
  readonly #splitter: MessageSplitter;
  readonly #ids = new SessionIds();
  readonly #counters: Float64Array;
  readonly #owners = new Map<string, Caller>();
  /** Sessions that nothing may go to yet: a client that wants to waits. */
  readonly #held = new Map<string, Caller>();
  /** Hidden scripts of the CDP sessions that are told of scripts. */
  readonly #hidden = new Map<string, HiddenScripts>();
  readonly #paused = new Set<Caller>();
  readonly #onEnded: () => void;
  #unhandled = 0;
  #hasEnded = false;

  constructor(
    { line, input, output, counters, budgetBytes, held }: Extract<Order, { do: 'open' }>,
    context: ThreadContext,
    onEnded: () => void,
  ) {
    this.number = line;
    this.#onEnded = onEnded;
    this.#output = output;
    this.#context = context;
    this.#counters = counters;
    this.budget = new ByteBudget(budgetBytes, held, 'thread');
    const fail = (error: unknown) => this.fail(error);
    const drain = () => this.#outlet.drain();
    const toBrowser: Ready = { readable: drain, writable: drain, fail };
    this.#outlet = new Outlet({
      ...{ descriptor: input, share: this.budget.share() },
      onPending: (isPending) => {
        context.poller.watch(input, toBrowser, { read: false, write: isPending });
        if (!isPending) this.#resumePaused();
      },
      onFault: fail,
    });
    const sink = {
      message: (bytes: Buffer, start: number, end: number) => this.#fromBrowser(bytes, start, end),
      tooLarge: (lastBytes: Buffer) => this.#tooLarge(lastBytes),
    };
    this.#splitter = new MessageSplitter(sink, this.budget.share());
    this.#watch();
  }

  readable(): void {
    const bytes = this.#context.buffer;
    const count = read(this.#output, bytes, bytes.length);
    if (count > 0) this.#splitter.read(bytes, count);
    else if (count === 0 || !mayTryAgain()) this.end();
  }

  writable(): void {}

  /** Also where a browser writes what nobody can read: in other hands than ours, it must not take the host with it. */
  fail(error: unknown): void {
    this.#context.fault({ line: this.number }, error);
    this.end();
  }

  /** What is left to say of it is said; its pipe is closed. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { poller, reports } = this.#context;
    this.#outlet.abandon();
    this.#splitter.close();
    poller.forget(this.#output);
    poller.forget(this.#outlet.descriptor);
    close(this.#output);
    close(this.#outlet.descriptor);
    this.#resumePaused();
    reports.push({ tell: 'ended', line: this.number });
    this.#onEnded();
  }

  /** One whole message. */
  send(bytes: Buffer, start: number, end: number): void {
    if (this.#hasEnded) return;
    this.#context.batch.addMessage(this.#outlet, bytes, start, end);
  }

  /** A message to a session that is not in it yet: it goes where its last brace is. */
  sendTo(session: string, bytes: Buffer, end: number): void {
    if (this.#hasEnded) return;
    this.#context.batch.addMessage(this.#outlet, bytes, 0, end, Buffer.from(sessionMember(session)));
  }

  sendFrom(caller: Caller, bytes: Buffer, start: number, end: number): void {
    this.send(bytes, start, end);
    this.pauseWhereFull(caller);
  }

  /** A browser that does not read is not given more and more. */
  pauseWhereFull(caller: Caller): void {
    if (this.#outlet.pendingBytes <= maxPendingBytes) return;
    this.#paused.add(caller);
    caller.pause(true);
  }

  /** Whether nothing may go to the session yet. */
  isHeld(session: string): boolean {
    return this.#held.size > 0 && this.#held.has(session);
  }

  release(session: string): void {
    const caller = this.#held.get(session);
    this.#held.delete(session);
    caller?.release(session);
  }

  hideScripts(session: string, scripts: readonly ScriptIdentity[]): void {
    if (this.#owners.has(session) && !this.#hidden.has(session)) {
      this.#hidden.set(session, new HiddenScripts(scripts));
    }
  }

  handled(characters: number): void {
    this.#unhandled -= characters;
    this.#watch();
  }

  own(session: string, caller: Caller): void {
    this.#owners.set(session, caller);
  }

  disown(sessions: Iterable<string>, caller: Caller): void {
    for (const session of sessions) {
      this.#owners.delete(session);
      this.#held.delete(session);
      this.#hidden.delete(session);
    }
    this.#paused.delete(caller);
  }

  counted(): void {
    this.#counters[lineCounters.messages] = (this.#counters[lineCounters.messages] as number) + 1;
  }

  #fromBrowser(bytes: Buffer, start: number, end: number): void {
    const session = this.#ids.read(bytes, sessionAt(bytes, start, end));
    const owner = session === undefined ? undefined : this.#owners.get(session);
    if (owner === undefined) {
      // Of a client that has gone; nobody waits for it.
      if (end - start > maxParsedBytes) return;
      const text = bytes.toString('utf8', start, end);
      this.#context.reports.push({ tell: 'message', line: this.number, text });
      this.#unhandled += text.length;
      if (this.#unhandled > maxUnhandled) this.#watch();
      return;
    }
    this.counted();
    if (bytes[start + methodAt] === firstOfTarget) {
      const message = bytes.subarray(start, end);
      if (startsWith(message, attachedPrefix)) this.#attached(owner, message, session as string);
      else if (startsWith(message, detachedPrefix)) this.#detached(owner, message);
    }
    const hidden = this.#hidden.size === 0 ? undefined : this.#hidden.get(session as string);
    const other = hidden?.replace(bytes, start, end);
    if (other === undefined) owner.deliver(session as string, bytes, start, end);
    else if (other) owner.deliver(session as string, other, 0, other.length);
  }

  /** Whoever it was for would wait for it: so that client is closed, and told why. */
  #tooLarge(lastBytes: Buffer): void {
    const session = this.#ids.read(lastBytes, sessionAt(lastBytes, 0, lastBytes.length));
    if (session !== undefined) this.#owners.get(session)?.refuse(refusals.resultTooLarge);
  }

  /** Nothing goes to the session until the host has said so: it may have to be told something first. */
  #attached(caller: Caller, message: Buffer, parent: string): void {
    const target = readTarget(message);
    caller.sessions.add(target.sessionId);
    this.#owners.set(target.sessionId, caller);
    this.#held.set(target.sessionId, caller);
    const { reports } = this.#context;
    reports.push({ tell: 'attached', line: this.number, caller: caller.number, target, parent });
  }

  #detached(owner: Caller, message: Buffer): void {
    const session = text(parseParams(message)['sessionId']);
    const caller = this.#owners.get(session) ?? owner;
    caller.sessions.delete(session);
    this.#owners.delete(session);
    this.#hidden.delete(session);
    this.release(session);
    this.#context.reports.push({ tell: 'detached', line: this.number, caller: caller.number, session });
  }

  #resumePaused(): void {
    for (const caller of this.#paused) caller.pause(false);
    this.#paused.clear();
  }

  #watch(): void {
    if (this.#hasEnded) return;
    const isRead = this.#unhandled <= maxUnhandled;
    this.#context.poller.watch(this.#output, this, { read: isRead, write: false });
  }
}

/** Throws for what Chromium does not write: the browser is in other hands than ours. */
function parseParams(message: Buffer): Record<string, unknown> {
  if (message.length > maxParsedBytes) throw new Error('A message about a target that is too large');
  const { params } = JSON.parse(message.toString()) as { params?: unknown };
  if (typeof params !== 'object' || params === null) throw new Error('A message without parameters');
  return params as Record<string, unknown>;
}

/** Only what is flat: what is nested without end could not be told to the host. */
function readTarget(message: Buffer): AttachedTarget {
  const { sessionId, targetInfo, waitingForDebugger } = parseParams(message);
  const info = flat(targetInfo);
  return {
    sessionId: text(sessionId),
    waitingForDebugger: waitingForDebugger === true,
    targetInfo: {
      ...info,
      ...{ targetId: text(info['targetId']), type: text(info['type']) },
      ...{ title: text(info['title']), url: text(info['url']) },
    },
  };
}

function flat(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, member]) => typeof member !== 'object'));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function startsWith(message: Buffer, prefix: Buffer): boolean {
  return message.length > prefix.length && message.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}
