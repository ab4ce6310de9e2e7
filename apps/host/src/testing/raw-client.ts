import { once } from 'node:events';
import { type ClientOptions, WebSocket } from 'ws';

export interface Answer {
  id?: number;
  method?: string;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
  sessionId?: string;
}

/** For tests only: a CDP client that writes and reads raw messages. */
export class Raw implements AsyncDisposable {
  readonly socket: WebSocket;
  #id = 0;

  constructor(url: string, options: ClientOptions = {}) {
    this.socket = new WebSocket(url, options);
  }

  static async connect(url: string): Promise<Raw> {
    const raw = new Raw(url);
    await once(raw.socket, 'open');
    return raw;
  }

  /** The next message that passes the test. */
  next(test: (message: Answer) => boolean): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const look = (data: unknown) => {
        const message = JSON.parse(String(data)) as Answer;
        if (!test(message)) return;
        this.socket.off('message', look).off('close', reject);
        resolve(message);
      };
      this.socket.on('message', look).on('close', reject);
    });
  }

  async call(method: string, params: object = {}, sessionId?: string): Promise<Answer> {
    const id = ++this.#id;
    const answered = this.next((message) => message.id === id);
    this.socket.send(JSON.stringify({ id, method, params, sessionId }));
    return answered;
  }

  async attachToPage(): Promise<string> {
    const { result } = await this.call('Target.getTargets');
    const { targetInfos } = result as { targetInfos: { targetId: string }[] };
    const targetId = targetInfos[0]?.targetId;
    const attached = await this.call('Target.attachToTarget', { targetId, flatten: true });
    return String(attached.result?.['sessionId']);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise((resolve) => this.socket.once('close', resolve));
    this.socket.on('error', () => {}); // A close follows.
    this.socket.terminate();
    await closed;
  }
}
