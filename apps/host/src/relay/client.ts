import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { withoutSession } from '../chromium/session-tail.ts';
import { WriteBatch } from '../chromium/write-batch.ts';
import { textFrameHead } from './text-frame.ts';

/** Past this, a client that does not read is cut; the memory it costs is bounded by this and its largest message. */
const maxPendingBytes = 64 * 2 ** 20;
const flushMs = 500;

/** One WebSocket and the DevTools session that it stands for. */
export class Client {
  readonly rootSession: string;
  /** Sessions that this client attached, or that attached themselves on its behalf. */
  readonly sessions = new Set<string>();
  readonly #webSocket: WebSocket;
  /** Frames go straight to the socket, which costs half of what the WebSocket's own way does. */
  readonly #batch: WriteBatch;
  readonly #onCut: () => void;
  #largestPending = 0;
  #cut = false;

  constructor(rootSession: string, webSocket: WebSocket, socket: Duplex, onCut: () => void) {
    this.#onCut = onCut;
    this.rootSession = rootSession;
    this.#webSocket = webSocket;
    this.#batch = new WriteBatch(socket);
  }

  /** True when this is the first delivery since `flush`. */
  deliver(sessionId: string, message: Buffer): boolean {
    if (this.#cut || this.#webSocket.readyState !== this.#webSocket.OPEN) return false;
    if (!this.#hasRoomFor(message)) {
      this.#cut = true;
      this.#batch.flush();
      this.#webSocket.close(1013, 'client reads too slowly');
      this.#onCut();
      return false;
    }
    const first = this.#batch.isEmpty;
    const payload = sessionId === this.rootSession ? withoutSession(message) : message;
    this.#batch.add(textFrameHead(payload.length));
    this.#batch.add(payload);
    return first;
  }

  /** It did not read, and was told so. */
  get isCut(): boolean {
    return this.#cut;
  }

  flush(): void {
    this.#batch.flush();
  }

  answer(text: string): void {
    this.#webSocket.send(text);
  }

  pause(): void {
    this.#webSocket.pause();
  }

  resume(): void {
    this.#webSocket.resume();
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
      this.#webSocket.resume(); // A paused socket would not see the peer's answer.
      this.#webSocket.close(code, reason);
    });
  }

  /** One message may be of any size; it is more of them behind it that must not pile up. */
  #hasRoomFor(message: Buffer): boolean {
    const pending = this.#webSocket.bufferedAmount;
    if (pending === 0) this.#largestPending = 0;
    if (pending > maxPendingBytes + this.#largestPending) return false;
    this.#largestPending = Math.max(this.#largestPending, message.length);
    return true;
  }
}
