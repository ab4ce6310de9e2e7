import type { AttachedTarget } from '../chromium/controller.ts';
import { SessionIds, sessionAt } from '../chromium/session-tail.ts';
import type { Caller } from './caller.ts';
import { HiddenScripts, type ScriptIdentity } from './hidden-scripts.ts';
import { close, mayTryAgain, read } from './libc.ts';
import { MessageSplitter } from './message-splitter.ts';
import { lineCounters, type Order } from './orders.ts';
import { Outlet } from './outlet.ts';
import type { Ready } from './poller.ts';
import type { Surroundings } from './surroundings.ts';

const attachedPrefix = Buffer.from('{"method":"Target.attachedToTarget",');
const detachedPrefix = Buffer.from('{"method":"Target.detachedFromTarget",');

/** Of most messages a byte tells that they are neither. */
const methodAt = '{"method":"'.length;
const firstOfTarget = 'T'.charCodeAt(0);

/** Past this, clients that go on sending to a browser that does not read are paused. */
const maxPendingBytes = 16 * 2 ** 20;

/** Characters. Past this, a browser that goes on telling the host things is not read from. */
const maxUnhandled = 4 * 2 ** 20;

/** A browser's DevTools pipe, and whose each session is. */
export class Line implements Ready {
  readonly number: number;
  /** Nothing that clients say counts any more. */
  isMuted = false;
  readonly #output: number;
  readonly #around: Surroundings;
  readonly #outlet: Outlet;
  readonly #splitter = new MessageSplitter((bytes, start, end) => this.#fromBrowser(bytes, start, end));
  readonly #ids = new SessionIds();
  readonly #counters: Float64Array;
  readonly #owners = new Map<string, Caller>();
  /** Sessions that nothing may go to yet: a client that wants to waits. */
  readonly #held = new Map<string, Caller>();
  /** Of sessions that are told of scripts. */
  readonly #hidden = new Map<string, HiddenScripts>();
  readonly #paused = new Set<Caller>();
  readonly #onEnded: () => void;
  #unhandled = 0;
  #hasEnded = false;

  constructor(
    { line, input, output, counters }: Extract<Order, { do: 'open' }>,
    around: Surroundings,
    onEnded: () => void,
  ) {
    this.number = line;
    this.#onEnded = onEnded;
    this.#output = output;
    this.#around = around;
    this.#counters = counters;
    const toBrowser: Ready = { readable: () => this.#outlet.drain(), writable: () => this.#outlet.drain() };
    this.#outlet = new Outlet(input, (isPending) => {
      around.poller.watch(input, toBrowser, { read: false, write: isPending });
      if (!isPending) this.#resumePaused();
    });
    this.#watch();
  }

  readable(): void {
    const bytes = this.#around.buffer;
    const count = read(this.#output, bytes, bytes.length);
    if (count > 0) {
      try {
        this.#splitter.read(bytes, count);
      } catch {
        this.end(); // In other hands than ours: it must not take the host with it.
      }
    } else if (count === 0 || !mayTryAgain()) this.end();
  }

  writable(): void {}

  /** What is left to say of it is said; its pipe is closed. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { poller, reports } = this.#around;
    this.#outlet.abandon();
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
    this.#around.batch.addMessage(this.#outlet, bytes, start, end);
  }

  sendFrom(caller: Caller, bytes: Buffer, start: number, end: number): void {
    this.send(bytes, start, end);
    if (this.#outlet.pendingBytes <= maxPendingBytes) return;
    this.#paused.add(caller);
    caller.pause(true);
  }

  /** Whether nothing may go to the session yet. */
  isHeld(session: string): boolean {
    return this.#held.size > 0 && this.#held.has(session);
  }

  letGo(session: string): void {
    const caller = this.#held.get(session);
    this.#held.delete(session);
    caller?.letGo(session);
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
      const text = bytes.toString('utf8', start, end);
      this.#around.reports.push({ tell: 'message', line: this.number, text });
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

  /** Nothing goes to the session until the host has said so: it may have to be told something first. */
  #attached(caller: Caller, message: Buffer, parent: string): void {
    const { params: target } = JSON.parse(message.toString()) as { params: AttachedTarget };
    caller.sessions.add(target.sessionId);
    this.#owners.set(target.sessionId, caller);
    this.#held.set(target.sessionId, caller);
    const { reports } = this.#around;
    reports.push({ tell: 'attached', line: this.number, caller: caller.number, target, parent });
  }

  #detached(owner: Caller, message: Buffer): void {
    const { params } = JSON.parse(message.toString()) as { params: { sessionId: string } };
    const { sessionId: session } = params;
    const caller = this.#owners.get(session) ?? owner;
    caller.sessions.delete(session);
    this.#owners.delete(session);
    this.#hidden.delete(session);
    this.letGo(session);
    this.#around.reports.push({ tell: 'detached', line: this.number, caller: caller.number, session });
  }

  #resumePaused(): void {
    for (const caller of this.#paused) caller.pause(false);
    this.#paused.clear();
  }

  #watch(): void {
    if (this.#hasEnded) return;
    const isRead = this.#unhandled <= maxUnhandled;
    this.#around.poller.watch(this.#output, this, { read: isRead, write: false });
  }
}

function startsWith(message: Buffer, prefix: Buffer): boolean {
  return message.length > prefix.length && message.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}
