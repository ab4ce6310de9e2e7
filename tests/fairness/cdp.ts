import { once } from 'node:events';
import { WebSocket } from 'ws';

/** How long an attacker waits for an answer. It is not owed one. */
const attackerMs = 3000;

/** A client of a browser that can also send what it likes. */
export class Cdp implements Disposable {
  readonly socket: WebSocket;
  sessionId = '';
  readonly #pending = new Map<number, (answer: any) => void>();
  #lastId = 0;

  readonly #patienceMs: number;

  private constructor(socket: WebSocket, patienceMs: number) {
    this.#patienceMs = patienceMs;
    this.socket = socket;
    socket.on('error', () => {});
    socket.on('message', (data: Buffer) => {
      const id = Number(/^\{"id":(\d{1,9})/.exec(data.toString('latin1', 0, 20))?.[1]);
      const resolve = this.#pending.get(id);
      this.#pending.delete(id);
      if (resolve) resolve(JSON.parse(data.toString()).result ?? {});
    });
  }

  static async connect(url: string, patienceMs = attackerMs): Promise<Cdp> {
    const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 0 });
    const cdp = new Cdp(socket, patienceMs);
    await once(socket, 'open', { signal: AbortSignal.timeout(30_000) });
    return cdp;
  }

  /** Opens a page and attaches to it. */
  async open(url = 'about:blank'): Promise<this> {
    const { targetId } = await this.call('Target.createTarget', { url }, '');
    const { sessionId } = await this.call('Target.attachToTarget', { targetId, flatten: true }, '');
    if (typeof sessionId !== 'string') throw new Error('The page did not open');
    this.sessionId = sessionId;
    return this;
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** Calls a method; resolves with an empty result when no answer comes in time. */
  async call(method: string, params: object = {}, sessionId = this.sessionId): Promise<any> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve } = Promise.withResolvers<any>();
    this.#pending.set(id, resolve);
    const timer = setTimeout(() => {
      this.#pending.delete(id);
      resolve({});
    }, this.#patienceMs);
    this.send(JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) }));
    return promise.finally(() => clearTimeout(timer));
  }

  send(text: string): void {
    if (this.isOpen) this.socket.send(text, () => {});
  }

  async evaluate(expression: string): Promise<any> {
    return (await this.call('Runtime.evaluate', { expression, awaitPromise: true })).result?.value;
  }

  [Symbol.dispose](): void {
    this.socket.terminate();
  }
}
