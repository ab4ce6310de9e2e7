import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Browser, ClientSessions } from '../chromium/browser.ts';
import type { AttachedTarget, Params, TargetInfo } from '../chromium/protocol.ts';
import { takeConnection } from '../switchboard/descriptor.ts';
import { Client } from './client.ts';
import { type HostMethod, judge, type Verdict } from './client-message.ts';
import { concernsHost } from './concerns-host.ts';
import { withFilesDirectory } from './download-behavior.ts';
import { answerToUpload } from './upload-paths.ts';
import { Wire } from './wire.ts';

/** Each has a descriptor and memory of the host's. */
const maxClients = 128;

/** A client is told so, and does not wait, when its browser is stopped or overwhelmed. */
const attachTimeoutMs = 10_000;

/** The session has as many connections as it may have. */
export class TooManyClients extends Error {}

type HostVerdict = Extract<Verdict, { to: 'host' }>;

export type ClientTarget = Pick<AttachedTarget, 'sessionId' | 'waitingForDebugger'> & {
  targetInfo: Pick<TargetInfo, 'targetId' | 'type'>;
};

/** Who is told what clients emulate, and answers in the browser's place where it knows better. */
export interface ClientWatcher {
  /** Passes the message on, with what must go before and after it; later where it must wait, and others need not. */
  sends(sessionId: string, message: Buffer, pass: () => void): void;
  /** The parent is the session that it was found by way of, if it was. */
  attached(target: ClientTarget, parent?: string): void;
  detached(sessionIds: Iterable<string>): void;
  /** Undefined: the browser may answer for itself. */
  answer(method: HostMethod, params: object): Promise<object> | undefined;
}

/**
 * One browser's clients. Each has a DevTools session of its own, from the browser or from one target, that
 * it takes for the whole connection; sessions below it are its own too and no other client's. What goes to and
 * from these takes the switchboard's way; the rest comes by here.
 */
export class Relay implements ClientSessions {
  readonly #browser: Browser;
  readonly #watcher: ClientWatcher;
  readonly #clients = new Map<number, Client>();
  #attaching = 0;
  #closed = false;

  constructor(browser: Browser, watcher: ClientWatcher) {
    this.#browser = browser;
    this.#watcher = watcher;
    browser.tellOfSessions(this);
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

  /** Throws when the connection is no more. */
  wire(rootSession: string, socket: Duplex, head: Buffer): Wire {
    const { switchboard, line } = this.#browser.pipe;
    return new Wire({ switchboard, line, rootSession, ...takeConnection(socket, head) });
  }

  /** The session is a target's, or the browser's where there is none. */
  connect(rootSession: string, targetId: string | undefined, webSocket: WebSocket, wire: Wire): void {
    const client = new Client(rootSession, webSocket, wire);
    this.#clients.set(wire.caller, client);
    if (targetId !== undefined) {
      const targetInfo = { targetId, type: 'page' };
      this.#watcher.attached({ sessionId: rootSession, targetInfo, waitingForDebugger: false });
    }
    wire.listenWith({
      asked: (message, session) => this.#asked(client, message, session),
      refused: (refusal, canBeTold) => {
        client.refuse(refusal, canBeTold);
        void this.detach(rootSession);
      },
    });
    webSocket.on('error', () => {}); // A close follows, and says it.
    webSocket.on('close', () => this.#disconnected(client));
  }

  /** Nothing goes to the browser any more, and clients stay until they are told why. */
  stop(): void {
    this.#closed = true;
    this.#browser.pipe.mute();
  }

  async close(code: number, reason: string): Promise<void> {
    this.stop();
    await Promise.all(Array.from(this.#clients.values(), (client) => client.close(code, reason)));
  }

  /** Messages so far, either way. */
  get traffic(): number {
    return this.#browser.pipe.messages;
  }

  attached(caller: number, target: AttachedTarget, parent: string): void {
    const { sessionId } = target;
    this.#clients.get(caller)?.sessions.add(sessionId);
    this.#watcher.attached(target, parent);
    this.#browser.pipe.release(sessionId);
  }

  detached(caller: number, session: string): void {
    this.#clients.get(caller)?.sessions.delete(session);
    this.#watcher.detached([session]);
  }

  async #attach<M extends 'Target.attachToBrowserTarget' | 'Target.attachToTarget'>(
    method: M,
    params: Params<M>,
  ): Promise<string> {
    if (this.#clients.size + this.#attaching >= maxClients) throw new TooManyClients();
    this.#attaching += 1;
    try {
      const { sessionId } = await this.#browser.controller.call(method, params, {
        timeoutMs: attachTimeoutMs,
        undo: (late) => void this.detach(late.sessionId),
      });
      return sessionId;
    } finally {
      this.#attaching -= 1;
    }
  }

  /** The session is known where the message is for one of the client's own. */
  #asked(client: Client, message: Buffer, session: string | undefined): void {
    if (this.#closed) return;
    if (session !== undefined) this.#watched(client, session, message);
    else this.#judged(client, message);
  }

  #judged(client: Client, message: Buffer): void {
    const verdict = judge(message, (sessionId) => client.sessions.has(sessionId));
    if (verdict.to === 'client') client.answer(verdict.answer);
    else if (verdict.to === 'host') this.#answer(client, message, verdict);
    else if (verdict.to === 'root') this.#toRoot(client, verdict.message, verdict.end);
    else if (concernsHost(message, 0, message.length)) this.#watched(client, verdict.sessionId, message);
    else client.wire.pass(message);
  }

  #watched(client: Client, session: string, message: Buffer): void {
    const refusal = answerToUpload(message);
    if (refusal !== undefined) {
      client.answer(refusal);
      return;
    }
    const reworded = withFilesDirectory(message);
    this.#watcher.sends(session, message, () => this.#browser.pipe.send(reworded));
  }

  #toRoot({ rootSession }: Client, message: Buffer, end: number): void {
    this.#watcher.sends(rootSession, message, () => this.#browser.pipe.sendTo(rootSession, message, end));
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

  /** A page-level connection ends with its page, as it does at Chromium's own endpoint. */
  #rootDetached(sessionId: string): void {
    const client = [...this.#clients.values()].find(({ rootSession }) => rootSession === sessionId);
    // One that was refused is detached by us, and still has to read why.
    if (client && !client.isRefused && !this.#closed) void client.close(1000, '');
  }

  #disconnected(client: Client): void {
    this.#clients.delete(client.wire.caller);
    void this.detach(client.rootSession).then(() =>
      this.#watcher.detached([...client.sessions, client.rootSession]),
    );
  }
}
