import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Browser, SessionSink } from '../chromium/browser.ts';
import type { AttachedTarget, TargetInfo } from '../chromium/controller.ts';
import type { DevToolsPipe } from '../chromium/devtools-pipe.ts';
import { sessionMember, sessionOfClientMessage } from '../chromium/session-tail.ts';
import { Client } from './client.ts';
import { type HostMethod, judge, type Verdict } from './client-message.ts';
import { FrameReader } from './frame-reader.ts';

type HostVerdict = Extract<Verdict, { to: 'host' }>;

const attachedPrefix = Buffer.from('{"method":"Target.attachedToTarget",');
const detachedPrefix = Buffer.from('{"method":"Target.detachedFromTarget",');

export type ClientTarget = Pick<AttachedTarget, 'sessionId' | 'waitingForDebugger'> & {
  targetInfo: Pick<TargetInfo, 'targetId' | 'type'>;
};

/** Of most messages a byte tells that they are neither. */
const methodAt = '{"method":"'.length;
const firstOfTarget = 'T'.charCodeAt(0);

/** Who is told what clients emulate, and answers in the browser's place where it knows better. */
export interface ClientWatcher {
  /** Whether it has to know of a message; asked for each. */
  concerns(message: Buffer): boolean;
  /** Passes the message on, with what must go before and after it. */
  sends(sessionId: string, message: Buffer, pass: () => void): void;
  /** Nothing is to go to the session before what is returned has resolved. */
  attached(target: ClientTarget): Promise<void> | undefined;
  detached(sessionIds: Iterable<string>): void;
  /** Undefined: the browser may answer for itself. */
  answer(method: HostMethod, params: object): Promise<object> | undefined;
}

/** Past this, clients that go on sending to a browser that does not read are paused. */
const maxBrowserPendingBytes = 16 * 2 ** 20;

/** Past this, what is held for a session goes to it all the same. */
const maxHeldBytes = 2 ** 20;

interface Held {
  client: Client;
  messages: Buffer[];
  bytes: number;
}

/**
 * One browser's clients. Each has a DevTools session of its own, from the browser or from one target, that
 * it takes for the whole connection; sessions below it are its own too and no other client's.
 */
export class Relay implements SessionSink {
  readonly #browser: Browser;
  readonly #watcher: ClientWatcher;
  readonly #clients = new Set<Client>();
  readonly #owners = new Map<string, Client>();
  readonly #touched: Client[] = [];
  /** What clients said to sessions that nothing may go to yet. */
  readonly #held = new Map<string, Held>();
  #paused = new Set<Client>();
  #closed = false;
  #traffic = 0;

  constructor(browser: Browser, watcher: ClientWatcher) {
    this.#browser = browser;
    this.#watcher = watcher;
    browser.routeSessionsTo(this);
    browser.controller.on('Target.detachedFromTarget', ({ sessionId }) => this.#rootDetached(sessionId));
  }

  async attachToBrowser(): Promise<string> {
    return this.#attach('Target.attachToBrowserTarget', {});
  }

  /** Rejects when there is no such target. */
  async attachToTarget(targetId: string): Promise<string> {
    return this.#attach('Target.attachToTarget', { targetId, flatten: true });
  }

  async detach(sessionId: string): Promise<void> {
    await this.#browser.controller.call('Target.detachFromTarget', { sessionId }).catch(() => {}); // Gone already.
  }

  /** The session is a target's, or the browser's where there is none. */
  connect(rootSession: string, targetId: string | undefined, webSocket: WebSocket, socket: Duplex): void {
    const client = new Client(rootSession, webSocket, socket, () => void this.detach(rootSession));
    this.#clients.add(client);
    this.#owners.set(rootSession, client);
    if (targetId !== undefined) {
      const targetInfo = { targetId, type: 'page' };
      this.#watcher.attached({ sessionId: rootSession, targetInfo, waitingForDebugger: false });
    }
    webSocket.on('message', (data, isBinary) => {
      if (isBinary) webSocket.close(1003, 'DevTools messages are text');
      else this.#fromClient(client, data as Buffer);
    });
    const reader = readFrames(socket, this.#browser.pipe, (message) => this.#fromClient(client, message));
    webSocket.on('error', () => reader.close()); // A close follows, and says it.
    webSocket.on('close', () => this.#disconnected(client));
  }

  /** Nothing goes to the browser any more, and clients stay until they are told why. */
  stop(): void {
    this.#closed = true;
  }

  async close(code: number, reason: string): Promise<void> {
    this.stop();
    await Promise.all(Array.from(this.#clients, (client) => client.close(code, reason)));
  }

  /** Messages so far, either way. */
  get traffic(): number {
    return this.#traffic;
  }

  sessionMessage(sessionId: string, message: Buffer): void {
    const owner = this.#owners.get(sessionId);
    if (owner === undefined) return;
    this.#traffic++;
    if (message[methodAt] === firstOfTarget) {
      if (startsWith(message, attachedPrefix)) this.#learn(owner, message);
      else if (startsWith(message, detachedPrefix)) this.#forget(message);
    }
    if (owner.deliver(sessionId, message)) this.#touched.push(owner);
  }

  batchEnd(): void {
    for (const client of this.#touched) client.flush();
    this.#touched.length = 0;
  }

  async #attach(method: string, params: object): Promise<string> {
    return (await this.#browser.controller.call<{ sessionId: string }>(method, params)).sessionId;
  }

  #fromClient(client: Client, message: Buffer): void {
    if (this.#closed) return;
    this.#traffic++;
    const { pipe } = this.#browser;
    const session = sessionOfClientMessage(message);
    if (session !== undefined && client.sessions.has(session)) this.#toSession(session, message);
    else this.#judged(client, message);
    if (pipe.pendingBytes > maxBrowserPendingBytes) this.#pause(client);
  }

  #judged(client: Client, message: Buffer): void {
    const verdict = judge(message, (sessionId) => client.sessions.has(sessionId));
    if (verdict.to === 'client') client.answer(verdict.answer);
    else if (verdict.to === 'session') this.#toSession(verdict.sessionId, message);
    else if (verdict.to === 'host') this.#answer(client, message, verdict);
    else this.#toRoot(client, verdict.message, verdict.end);
  }

  #toSession(sessionId: string, message: Buffer): void {
    const held = this.#held.size === 0 ? undefined : this.#held.get(sessionId);
    if (!held) {
      if (!this.#watcher.concerns(message)) this.#browser.pipe.send(message);
      else this.#watcher.sends(sessionId, message, () => this.#browser.pipe.send(message));
      return;
    }
    held.messages.push(message);
    held.bytes += message.length;
    if (held.bytes > maxHeldBytes) this.#letGo(sessionId);
  }

  #toRoot({ rootSession }: Client, message: Buffer, end: number): void {
    this.#watcher.sends(rootSession, message, () =>
      this.#browser.pipe.send(message.subarray(0, end), sessionMember(rootSession)),
    );
  }

  /** In order, and as if they came now: the session may have ended in the meantime. */
  #letGo(sessionId: string): void {
    const held = this.#held.get(sessionId);
    this.#held.delete(sessionId);
    for (const message of held?.messages ?? []) this.#fromClient(held?.client as Client, message);
  }

  #answer(client: Client, message: Buffer, { id, method, params }: HostVerdict): void {
    const answer = this.#watcher.answer(method, params);
    if (!answer) {
      this.#toRoot(client, message, message.lastIndexOf('}'));
      return;
    }
    answer.then(
      (result) => client.answer(JSON.stringify({ id, result })),
      (error: Error) =>
        client.answer(JSON.stringify({ id, error: { code: -32000, message: error.message } })),
    );
  }

  #pause(client: Client): void {
    if (this.#paused.size === 0) {
      this.#browser.pipe.onceDrained(() => {
        for (const paused of this.#paused) paused.resume();
        this.#paused = new Set();
      });
    }
    this.#paused.add(client);
    client.pause();
  }

  #learn(owner: Client, message: Buffer): void {
    const { params } = JSON.parse(message.toString()) as { params: AttachedTarget };
    owner.sessions.add(params.sessionId);
    this.#owners.set(params.sessionId, owner);
    const ready = this.#watcher.attached(params);
    if (!ready) return;
    this.#held.set(params.sessionId, { client: owner, messages: [], bytes: 0 });
    void ready.then(() => this.#letGo(params.sessionId));
  }

  #forget(message: Buffer): void {
    const { params } = JSON.parse(message.toString()) as { params: { sessionId: string } };
    this.#owners.get(params.sessionId)?.sessions.delete(params.sessionId);
    this.#owners.delete(params.sessionId);
    this.#letGo(params.sessionId);
    this.#watcher.detached([params.sessionId]);
  }

  /** A page-level connection ends with its page, as it does at Chromium's own endpoint. */
  #rootDetached(sessionId: string): void {
    const client = this.#owners.get(sessionId);
    // One that was cut is detached by us, and still has to read why.
    if (client?.rootSession === sessionId && !client.isCut && !this.#closed) void client.close(1000, '');
  }

  #disconnected(client: Client): void {
    this.#clients.delete(client);
    this.#paused.delete(client);
    for (const sessionId of client.sessions) {
      this.#owners.delete(sessionId);
      this.#held.delete(sessionId);
    }
    this.#owners.delete(client.rootSession);
    void this.detach(client.rootSession).then(() =>
      this.#watcher.detached([...client.sessions, client.rootSession]),
    );
  }
}

/**
 * Takes text messages from the socket before the WebSocket does, and leaves all else to it: the way through the
 * WebSocket's own streams costs more than the rest of the relay.
 */
function readFrames(socket: Duplex, pipe: DevToolsPipe, text: (message: Buffer) => void): FrameReader {
  const listeners = socket.listeners('data') as ((bytes: Buffer) => void)[];
  socket.removeAllListeners('data');
  const reader = new FrameReader({
    text,
    other: (bytes) => {
      for (const listener of listeners) listener.call(socket, bytes);
    },
  });
  socket.on('data', (chunk: Buffer) => pipe.gather(() => reader.read(chunk)));
  return reader;
}

function startsWith(message: Buffer, prefix: Buffer): boolean {
  return message.length > prefix.length && message.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}
