import type { WebSocket } from 'ws';
import type { ClientStream } from '../switchboard/client-stream.ts';
import type { Refusal } from '../switchboard/refusals.ts';

/** How long a closed client may take to answer the close. */
const closeTimeoutMs = 500;

/** How long a refused client may take to read why. What it sends meanwhile is dropped. */
const refusedTimeoutMs = 10_000;

/** One WebSocket and the CDP session that it stands for. */
export class Client {
  readonly rootCdpSessionId: string;
  readonly stream: ClientStream;
  /** Contexts with proxies of their own that end with it. */
  readonly contexts = new Set<string>();
  readonly #webSocket: WebSocket;
  #isRefused = false;

  constructor(rootCdpSessionId: string, webSocket: WebSocket, stream: ClientStream) {
    this.rootCdpSessionId = rootCdpSessionId;
    this.stream = stream;
    this.#webSocket = webSocket;
  }

  /** Closes the client, and says why if it still can be told. */
  refuse({ code, reason }: Refusal, canBeTold: boolean): void {
    this.#isRefused = true;
    if (!canBeTold) {
      this.#webSocket.terminate();
      return;
    }
    const timer = setTimeout(() => this.#webSocket.terminate(), refusedTimeoutMs);
    this.#webSocket.once('close', () => clearTimeout(timer));
    this.#webSocket.close(code, reason);
  }

  get isRefused(): boolean {
    return this.#isRefused;
  }

  answer(text: string): void {
    this.#webSocket.send(text);
  }

  /** Resolves when everything up to the close frame has gone out and the client has answered, or time is up. */
  close(code: number, reason: string): Promise<void> {
    if (this.#webSocket.readyState === this.#webSocket.CLOSED) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#webSocket.terminate(), closeTimeoutMs);
      this.#webSocket.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      this.#webSocket.close(code, reason);
    });
  }
}
