import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Namespace } from './namespace.ts';

export interface Reply {
  result?: any;
  error?: { code: number; message: string };
}

interface Event {
  method: string;
  params: any;
  sessionId?: string;
}

/** How long a command may take before the attack counts as unanswered. */
const patienceMs = 15_000;

/** A DevTools client that keeps to no rules: it sends what it is told to, and remembers all that it was sent. */
export class RawCdp {
  /** Every message, as it came, for someone to look through and take out. */
  readonly received: string[] = [];
  readonly events: Event[] = [];
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, (reply: Reply) => void>();
  readonly #watchers = new Set<(event: Event) => void>();
  #id = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = once(socket, 'close').then(([code]) => Number(code));
    socket.on('error', () => {}); // A close follows.
    socket.on('message', (data) => this.#receive(String(data)));
    void this.closed.then((code) => {
      for (const resolve of this.#pending.values()) resolve({ error: { code, message: 'closed' } });
    });
  }

  static async connect(namespace: Namespace, url: string): Promise<RawCdp> {
    const connection = await namespace.connection(Number(new URL(url).port));
    const socket = new WebSocket(url, { createConnection: () => connection, perMessageDeflate: false });
    await once(socket, 'open');
    return new RawCdp(socket);
  }

  /** The answer, whether it is a result or an error; an attack that hangs is answered for by the clock. */
  send(method: string, params: object = {}, sessionId?: string): Promise<Reply> {
    this.#id += 1;
    const id = this.#id;
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const timer = setTimeout(() => resolve({ error: { code: 0, message: 'no answer' } }), patienceMs);
    this.#pending.set(id, resolve);
    this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }));
    return promise.finally(() => {
      clearTimeout(timer);
      this.#pending.delete(id);
    });
  }

  /** For what must work for an attack to begin. */
  async call(method: string, params: object = {}, sessionId?: string): Promise<any> {
    const { result, error } = await this.send(method, params, sessionId);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** The next event that fits, or undefined when none comes in time. */
  async event(fits: (event: Event) => boolean, withinMs = patienceMs): Promise<Event | undefined> {
    const { promise, resolve } = Promise.withResolvers<Event | undefined>();
    const watcher = (event: Event) => fits(event) && resolve(event);
    const timer = setTimeout(() => resolve(undefined), withinMs);
    this.#watchers.add(watcher);
    const event = await promise;
    this.#watchers.delete(watcher);
    clearTimeout(timer);
    return event;
  }

  async page(url = 'about:blank', browserContextId?: string): Promise<RawPage> {
    const context = browserContextId === undefined ? {} : { browserContextId };
    const { targetId } = await this.call('Target.createTarget', { url: 'about:blank', ...context });
    const { sessionId } = await this.call('Target.attachToTarget', { targetId, flatten: true });
    const page = new RawPage(this, targetId, sessionId);
    await page.send('Page.enable');
    if (url !== 'about:blank') await page.go(url);
    return page;
  }

  async close(): Promise<void> {
    this.#socket.close();
    await this.closed;
  }

  #receive(text: string): void {
    this.received.push(text);
    const message = JSON.parse(text) as Event & Reply & { id?: number };
    if (message.id !== undefined) this.#pending.get(message.id)?.(message);
    if (message.method === undefined) return;
    this.events.push(message);
    for (const watcher of this.#watchers) watcher(message);
  }
}

export class RawPage {
  readonly client: RawCdp;
  readonly targetId: string;
  readonly sessionId: string;

  constructor(client: RawCdp, targetId: string, sessionId: string) {
    this.client = client;
    this.targetId = targetId;
    this.sessionId = sessionId;
  }

  send(method: string, params: object = {}): Promise<Reply> {
    return this.client.send(method, params, this.sessionId);
  }

  /** Waits for the load; answers the browser's error, an empty text where there was none. */
  async go(url: string): Promise<string> {
    const loaded = this.client.event(
      ({ method, sessionId }) => method === 'Page.loadEventFired' && sessionId === this.sessionId,
    );
    const { result, error } = await this.send('Page.navigate', { url });
    if (error) return error.message;
    if (result.isDownload || result.errorText === 'net::ERR_ABORTED') return String(result.errorText);
    await loaded;
    return result.errorText ?? '';
  }

  /** The value of an expression, or of what it promises; its error as a text. */
  async run(expression: string): Promise<any> {
    const parameters = { expression, awaitPromise: true, returnByValue: true, userGesture: true };
    const { result, error } = await this.send('Runtime.evaluate', parameters);
    if (error) return `error: ${error.message}`;
    if (result.exceptionDetails) return `error: ${result.exceptionDetails.exception?.description}`;
    return result.result.value;
  }

  text(): Promise<string> {
    return this.run('document.documentElement.outerHTML + document.documentElement.innerText');
  }

  async close(): Promise<void> {
    await this.client.send('Target.closeTarget', { targetId: this.targetId });
  }
}
