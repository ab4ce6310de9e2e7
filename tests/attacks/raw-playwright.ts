import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Namespace } from './namespace.ts';

export interface PlaywrightReply {
  result?: any;
  /** What went wrong. */
  error?: string | undefined;
}

interface RemoteObject {
  type: string;
  guid: string;
  initializer: any;
}

/** How long a command may take before the attack counts as unanswered. */
const patienceMs = 15_000;

/** A Playwright client that keeps to no rules: it sends what it is told to, and remembers all that it was sent. */
export class RawPlaywright {
  /** Every message, as it came. */
  readonly received: string[] = [];
  readonly objects: RemoteObject[] = [];
  readonly closed: Promise<unknown>;
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, (reply: PlaywrightReply) => void>();
  #id = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = once(socket, 'close');
    socket.on('error', () => {}); // A close follows.
    socket.on('message', (data) => this.#receive(String(data)));
    void this.closed.then(() => {
      for (const resolve of this.#pending.values()) resolve({ error: 'closed' });
    });
  }

  static async connect(url: string, namespace?: Namespace): Promise<RawPlaywright> {
    const connection = await namespace?.connection(Number(new URL(url).port));
    const socket = new WebSocket(url, {
      headers: { 'user-agent': 'Playwright/1.65.0 (x64; debian 12) node/24.11' },
      ...(connection && { createConnection: () => connection }),
    });
    await once(socket, 'open');
    const client = new RawPlaywright(socket);
    await client.call('', 'initialize', { sdkLanguage: 'javascript' });
    return client;
  }

  /** The answer, whether it is a result or an error; an attack that hangs is answered for by the clock. */
  send(guid: string, method: string, params: object = {}, patience = patienceMs): Promise<PlaywrightReply> {
    this.#id += 1;
    const id = this.#id;
    const { promise, resolve } = Promise.withResolvers<PlaywrightReply>();
    const timer = setTimeout(() => resolve({ error: 'no answer' }), patience);
    this.#pending.set(id, resolve);
    // Some versions read the timeout here, and some there.
    const timed = { timeout: patience / 2, ...params };
    const metadata = { timeout: timed.timeout };
    this.#socket.send(JSON.stringify({ id, guid, method, params: timed, metadata }));
    return promise.finally(() => {
      clearTimeout(timer);
      this.#pending.delete(id);
    });
  }

  /** For what must work for an attack to begin. */
  async call(guid: string, method: string, params: object = {}): Promise<any> {
    const { result, error } = await this.send(guid, method, params);
    if (error !== undefined) throw new Error(`${method}: ${error}`);
    return result;
  }

  /** The first object of a type. */
  find(type: string): RemoteObject {
    const found = this.objects.find((object) => object.type === type);
    if (!found) throw new Error(`there is no ${type}`);
    return found;
  }

  /** Opens a page, and returns the id of its main frame. */
  async page(html: string): Promise<string> {
    const { page } = await this.call(this.find('BrowserContext').guid, 'newPage');
    const opened = this.objects.find(({ guid }) => guid === page.guid);
    const frame: string = opened?.initializer.mainFrame.guid;
    await this.call(frame, 'setContent', { html });
    return frame;
  }

  /** Evaluates an expression whose value is a string. */
  async evaluate(frame: string, expression: string): Promise<string> {
    const arg = { value: { v: 'undefined' }, handles: [] };
    const { value } = await this.call(frame, 'evaluateExpression', { expression, isFunction: false, arg });
    return value.s;
  }

  /** Sends bytes in place of a message. */
  sendBytes(bytes: Buffer): void {
    this.#socket.send(bytes);
  }

  async close(): Promise<void> {
    this.#socket.close();
    await this.closed;
  }

  #receive(text: string): void {
    this.received.push(text);
    const { id, result, error, method, params } = JSON.parse(text);
    if (method === '__create__') this.objects.push(params);
    if (id === undefined) return;
    this.#pending.get(id)?.({ result, error: error && String(error.error?.message ?? error) });
  }
}
