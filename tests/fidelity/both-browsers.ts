import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { WebSocket } from 'ws';
import { startDirectChromium } from '../../bench/direct-chromium.ts';
import { closeServer, listen } from '../fixtures/network/listen.ts';
import { sharedService } from '../fixtures/service/shared-service.ts';

/** The CDP endpoints of a session and of a Chromium that nothing stands before. */
export interface BothBrowsers extends AsyncDisposable {
  session: string;
  direct: string;
  /** What the API says of the session. */
  params: any;
  /** The names of the session's files. */
  files(): Promise<string[]>;
}

export async function startBothBrowsers(params: object = {}): Promise<BothBrowsers> {
  await using undo = new AsyncDisposableStack();
  const direct = undo.use(await startDirectChromium());
  const service = undo.use(await sharedService());
  const account = await service.account();
  const { json } = await account.create({ headless: true, ...params });
  const all = undo.move();
  return {
    session: json.cdpUrl,
    direct: direct.url,
    params: json.browserParams,
    files: async () => {
      const answer = await fetch(`${service.gatewayUrl}/api/browser/${json.browserId}/files`, {
        headers: { 'x-api-key': account.key },
      });
      const { files } = (await answer.json()) as { files: { name: string }[] };
      return files.map(({ name }) => name);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

export interface Site extends AsyncDisposable {
  origin: string;
}

/** A site of these files, by path; what is not HTML by its name is a script. */
export async function startSite(files: Readonly<Record<string, string>>): Promise<Site> {
  const server = createServer(({ url = '/' }, response: ServerResponse) => {
    const path = new URL(url, 'http://site.test').pathname;
    const content = files[path];
    response.setHeader('cache-control', 'no-store');
    response.setHeader('content-type', path.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8');
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  const port = await listen(server);
  return {
    origin: `http://localhost:${port}`,
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}

interface Message {
  id?: number;
  method?: string;
  params?: any;
  result?: any;
  error?: { message: string };
  sessionId?: string;
}

/** So that targets are found before their first script. */
export const stopped = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };

/** A DevTools client that does nothing of its own accord. */
export class BareClient implements Disposable {
  readonly events: Message[] = [];
  /** Events and answers, in the order in which they came. */
  readonly received: Message[] = [];
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (message: Message) => void>();
  readonly #waiting = new Set<() => void>();
  #id = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#receive(JSON.parse(String(data))));
  }

  static async connect(url: string): Promise<BareClient> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    await once(socket, 'open');
    return new BareClient(socket);
  }

  async send(method: string, params: object = {}, sessionId?: string): Promise<any> {
    this.#id += 1;
    const { promise, resolve } = Promise.withResolvers<Message>();
    this.#answers.set(this.#id, resolve);
    this.#socket.send(JSON.stringify({ id: this.#id, method, params, sessionId }));
    const { result, error } = await promise;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** The first event that it is true of, of those that came and those that will. */
  async event(is: (event: Message) => boolean): Promise<any> {
    for (;;) {
      const found = this.events.find(is);
      if (found) return found.params;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  async attached(
    type: string,
    url = '',
  ): Promise<{ sessionId: string; targetInfo: any; waitingForDebugger: boolean }> {
    return this.event(
      ({ method, params }) =>
        method === 'Target.attachedToTarget' &&
        params.targetInfo.type === type &&
        params.targetInfo.url.includes(url),
    );
  }

  /** A page that has loaded, attached to. */
  async openPage(url: string): Promise<{ targetId: string; page: string }> {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId: page } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    await this.send('Page.enable', {}, page);
    await this.send('Page.navigate', { url }, page);
    await this.event(({ method, sessionId }) => method === 'Page.loadEventFired' && sessionId === page);
    return { targetId, page };
  }

  async evaluate(expression: string, sessionId: string): Promise<unknown> {
    const params = { expression, awaitPromise: true, returnByValue: true };
    return (await this.send('Runtime.evaluate', params, sessionId)).result.value;
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }

  #receive(message: Message): void {
    this.received.push(message);
    if (message.id !== undefined) {
      this.#answers.get(message.id)?.(message);
      return;
    }
    this.events.push(message);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
