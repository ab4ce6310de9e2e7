import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { Browser, SessionSink } from '../chromium/browser.ts';
import { sessionMember } from '../chromium/session-tail.ts';
import { Client } from './client.ts';
import { judge } from './client-message.ts';

const attachedPrefix = Buffer.from('{"method":"Target.attachedToTarget",');
const detachedPrefix = Buffer.from('{"method":"Target.detachedFromTarget",');

/** Past this, clients that go on sending to a browser that does not read are paused. */
const maxBrowserPendingBytes = 16 * 2 ** 20;

/**
 * One browser's clients. Each has a DevTools session of its own, from the browser or from one target, that
 * it takes for the whole connection; sessions below it are its own too and no other client's.
 */
export class Relay implements SessionSink {
  readonly #browser: Browser;
  readonly #clients = new Set<Client>();
  readonly #owners = new Map<string, Client>();
  readonly #touched: Client[] = [];
  #paused = new Set<Client>();
  #closed = false;

  constructor(browser: Browser) {
    this.#browser = browser;
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

  detach(sessionId: string): void {
    this.#browser.controller.call('Target.detachFromTarget', { sessionId }).catch(() => {}); // Gone already.
  }

  connect(rootSession: string, webSocket: WebSocket, socket: Duplex): void {
    const client = new Client(rootSession, webSocket, socket, () => this.detach(rootSession));
    this.#clients.add(client);
    this.#owners.set(rootSession, client);
    webSocket.on('message', (data, isBinary) => {
      if (isBinary) webSocket.close(1003, 'DevTools messages are text');
      else this.#fromClient(client, data);
    });
    webSocket.on('error', () => {}); // A close follows, and says it.
    webSocket.on('close', () => this.#disconnected(client));
  }

  async close(code: number, reason: string): Promise<void> {
    this.#closed = true;
    await Promise.all(Array.from(this.#clients, (client) => client.close(code, reason)));
  }

  sessionMessage(sessionId: string, message: Buffer): void {
    const owner = this.#owners.get(sessionId);
    if (owner === undefined) return;
    if (startsWith(message, attachedPrefix)) this.#learn(owner, message);
    else if (startsWith(message, detachedPrefix)) this.#forget(message);
    if (owner.deliver(sessionId, message)) this.#touched.push(owner);
  }

  batchEnd(): void {
    for (const client of this.#touched) client.flush();
    this.#touched.length = 0;
  }

  async #attach(method: string, params: object): Promise<string> {
    return (await this.#browser.controller.call<{ sessionId: string }>(method, params)).sessionId;
  }

  #fromClient(client: Client, data: RawData): void {
    if (this.#closed) return;
    const message = data as Buffer;
    const { pipe } = this.#browser;
    const verdict = judge(message, (sessionId) => client.sessions.has(sessionId));
    if (verdict.to === 'client') client.answer(verdict.answer);
    else if (verdict.to === 'session') pipe.send(message);
    else pipe.send(message.subarray(0, verdict.end), sessionMember(client.rootSession));
    if (pipe.pendingBytes > maxBrowserPendingBytes) this.#pause(client);
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
    const { params } = JSON.parse(message.toString()) as { params: { sessionId: string } };
    owner.sessions.add(params.sessionId);
    this.#owners.set(params.sessionId, owner);
  }

  #forget(message: Buffer): void {
    const { params } = JSON.parse(message.toString()) as { params: { sessionId: string } };
    this.#owners.get(params.sessionId)?.sessions.delete(params.sessionId);
    this.#owners.delete(params.sessionId);
  }

  /** A page-level connection ends with its page, as it does at Chromium's own endpoint. */
  #rootDetached(sessionId: string): void {
    const client = this.#owners.get(sessionId);
    if (client?.rootSession === sessionId && !this.#closed) void client.close(1000, '');
  }

  #disconnected(client: Client): void {
    this.#clients.delete(client);
    this.#paused.delete(client);
    for (const sessionId of client.sessions) this.#owners.delete(sessionId);
    this.#owners.delete(client.rootSession);
    this.detach(client.rootSession);
  }
}

function startsWith(message: Buffer, prefix: Buffer): boolean {
  return message.length > prefix.length && message.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}
