import type { WebSocket } from 'ws';
import type { Refusal } from './refusals.ts';
import type { Wire } from './wire.ts';

const flushMs = 500;

/** For one that is refused to read why; what it goes on sending meanwhile is dropped. */
const refusedMs = 10_000;

/** One WebSocket and the DevTools session that it stands for. */
export class Client {
  readonly rootSession: string;
  /** Sessions that this client attached, or that attached themselves on its behalf. */
  readonly sessions = new Set<string>();
  readonly wire: Wire;
  readonly #webSocket: WebSocket;
  #isRefused = false;

  constructor(rootSession: string, webSocket: WebSocket, wire: Wire) {
    this.rootSession = rootSession;
    this.wire = wire;
    this.#webSocket = webSocket;
  }

  /** It is closed and told why, where it still can be. */
  refuse({ code, reason }: Refusal, canBeTold: boolean): void {
    this.#isRefused = true;
    if (!canBeTold) {
      this.#webSocket.terminate();
      return;
    }
    const timer = setTimeout(() => this.#webSocket.terminate(), refusedMs);
    this.#webSocket.once('close', () => clearTimeout(timer));
    this.#webSocket.close(code, reason);
  }

  get isRefused(): boolean {
    return this.#isRefused;
  }

  answer(text: string): void {
    this.#webSocket.send(text);
  }

  /** Resolves when the close frame and all before it have gone out and the peer has answered, or too late for that. */
  close(code: number, reason: string): Promise<void> {
    if (this.#webSocket.readyState === this.#webSocket.CLOSED) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#webSocket.terminate(), flushMs);
      this.#webSocket.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      this.#webSocket.close(code, reason);
    });
  }
}
