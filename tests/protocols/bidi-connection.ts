import { once } from 'node:events';
import { type ClientOptions, WebSocket } from 'ws';

export interface BidiAnswer {
  type: string;
  id?: number;
  result?: any;
  error?: string;
  message?: string;
  method?: string;
  params?: any;
}

/** A client that speaks BiDi by itself. */
export interface BidiConnection extends AsyncDisposable {
  socket: WebSocket;
  events: BidiAnswer[];
  /** Resolves with the code and reason of the close. */
  closed: Promise<{ code: number; reason: string }>;
  call(method: string, params?: object): Promise<BidiAnswer>;
  next(): Promise<BidiAnswer>;
}

export async function connectBidi(url: string, options: ClientOptions = {}): Promise<BidiConnection> {
  const socket = new WebSocket(url, options);
  const events: BidiAnswer[] = [];
  const waiting = new Map<number, (answer: BidiAnswer) => void>();
  let onNext: ((answer: BidiAnswer) => void) | undefined;
  let calls = 0;
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as BidiAnswer;
    onNext?.(message);
    if (message.id !== undefined && waiting.has(message.id)) waiting.get(message.id)?.(message);
    else if (message.type === 'event') events.push(message);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  await once(socket, 'open');
  socket.on('error', () => {}); // A close follows.
  return {
    socket,
    events,
    closed,
    next: () => new Promise((resolve) => (onNext = resolve)),
    call: (method, params = {}) =>
      new Promise((resolve, reject) => {
        calls += 1;
        waiting.set(calls, resolve);
        void closed.then(() => reject(new Error('The connection was closed')));
        socket.send(JSON.stringify({ id: calls, method, params }));
      }),
    async [Symbol.asyncDispose]() {
      socket.terminate();
      await closed;
    },
  };
}
