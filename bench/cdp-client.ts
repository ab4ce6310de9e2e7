import { once } from 'node:events';
import { WebSocket } from 'ws';

/** A minimal CDP client on one page, with little overhead in the measurement. */
export class CdpClient implements AsyncDisposable {
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, (message: Buffer) => void>();
  #nextId = 1;
  #session = '';

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => {
      const id = Number(/^\{"id":(\d+)/.exec(data.toString('latin1', 0, 24))?.[1]);
      const resolve = this.#pending.get(id);
      this.#pending.delete(id);
      resolve?.(data);
    });
  }

  static async toNewPage(url: string): Promise<CdpClient> {
    const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 0 });
    await once(socket, 'open');
    const client = new CdpClient(socket);
    const created = JSON.parse((await client.call('Target.createTarget', { url: 'about:blank' })).toString());
    const { targetId } = created.result;
    const attached = await client.call('Target.attachToTarget', { targetId, flatten: true });
    client.#session = JSON.parse(attached.toString()).result.sessionId;
    return client;
  }

  call(method: string, params: object): Promise<Buffer> {
    const id = this.#nextId++;
    const session = this.#session ? { sessionId: this.#session } : {};
    return new Promise((resolve) => {
      this.#pending.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params, ...session }));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    await once(this.#socket, 'close');
  }
}
