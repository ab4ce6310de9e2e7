import type { WebSocket } from 'ws';
import type { Wire } from './wire.ts';

const flushMs = 500;

/** One WebSocket and the DevTools session that it stands for. */
export class Client {
  readonly rootSession: string;
  /** Sessions that this client attached, or that attached themselves on its behalf. */
  readonly sessions = new Set<string>();
  readonly wire: Wire;
  readonly #webSocket: WebSocket;
  #cut = false;

  constructor(rootSession: string, webSocket: WebSocket, wire: Wire) {
    this.rootSession = rootSession;
    this.wire = wire;
    this.#webSocket = webSocket;
  }

  /** It does not read, and is told so. */
  cut(): void {
    this.#cut = true;
    this.#webSocket.close(1013, 'client reads too slowly');
  }

  get isCut(): boolean {
    return this.#cut;
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
