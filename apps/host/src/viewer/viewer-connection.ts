import type { Socket } from 'node:net';
import { type WorkOwner, workFor } from '@turnpike/process/work/work';
import type { RawData, WebSocket } from 'ws';
import { type ViewerInput, ViewOnlyFilter } from './view-only-filter.ts';

/** Backpressure: above this the display is not read until the viewer has caught up. It then sends what has changed. */
const maxPendingBytes = 2 ** 20;
/** When a browser crashes its display may close first. The session's own close code comes a moment later. */
const afterDisplayMs = 2000;
const flushMs = 500;

export const closeCodes = { badMessage: 1008, noRoom: 1009, displayLost: 1011, tooMany: 1013 } as const;

/** One viewer's connection: pipes bytes between the display and the WebSocket, without the viewer's input in view-only mode. */
export class ViewerConnection {
  readonly #webSocket: WebSocket;
  readonly #display: Socket;
  readonly #filter: ViewOnlyFilter | undefined;
  /** Reads the input of a viewer that is not in view-only mode; undefined if nobody wants to know. */
  #inputReader: ViewOnlyFilter | undefined;
  #displayLost: NodeJS.Timeout | undefined;

  constructor(
    webSocket: WebSocket,
    display: Socket,
    {
      viewOnly,
      work,
      onInput,
    }: { viewOnly: boolean; work: WorkOwner; onInput?: ((input: ViewerInput) => void) | undefined },
  ) {
    this.#webSocket = webSocket;
    this.#display = display;
    this.#filter = viewOnly ? new ViewOnlyFilter() : undefined;
    this.#inputReader = onInput && !viewOnly ? new ViewOnlyFilter(onInput) : undefined;
    display.on('data', (chunk) => workFor(work, () => this.#toViewer(chunk)));
    display.on('drain', () => webSocket.resume());
    display.on('error', () => {}); // A close follows.
    display.on('close', () => this.#onDisplayClosed());
    webSocket.on('message', (data, isBinary) => workFor(work, () => this.#toDisplay(data, isBinary)));
    webSocket.on('error', () => {}); // A close follows.
    webSocket.on('close', () => {
      clearTimeout(this.#displayLost);
      display.destroy();
    });
  }

  /** Sends a close frame. Resolves when the peer has answered it, or after a timeout. */
  close(code: number, reason: string): Promise<void> {
    return closeWebSocket(this.#webSocket, code, reason);
  }

  #toViewer(chunk: Buffer): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    this.#webSocket.send(chunk, { binary: true }, () => {
      if (this.#display.isPaused() && this.#webSocket.bufferedAmount < maxPendingBytes)
        this.#display.resume();
    });
    if (this.#webSocket.bufferedAmount >= maxPendingBytes) this.#display.pause();
  }

  #toDisplay(data: RawData, isBinary: boolean): void {
    if (this.#display.destroyed) return;
    if (!isBinary) return void this.close(closeCodes.badMessage, 'RFB messages are binary');
    if (this.#inputReader) this.#readInput(data as Buffer);
    try {
      const bytes = this.#filter ? this.#filter.pass(data as Buffer) : (data as Buffer);
      if (bytes.length > 0 && !this.#display.write(bytes)) this.#webSocket.pause();
    } catch (error) {
      this.#display.destroy();
      void this.close(closeCodes.badMessage, (error as Error).message);
    }
  }

  /** What it cannot read is the display's to judge. */
  #readInput(data: Buffer): void {
    try {
      this.#inputReader?.pass(data);
    } catch {
      this.#inputReader = undefined;
    }
  }

  #onDisplayClosed(): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    this.#webSocket.resume(); // A paused socket would not notice the viewer's close.
    this.#displayLost = setTimeout(
      () => void this.close(closeCodes.displayLost, 'display lost'),
      afterDisplayMs,
    ).unref();
  }
}

export function closeWebSocket(webSocket: WebSocket, code: number, reason: string): Promise<void> {
  if (webSocket.readyState === webSocket.CLOSED) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => webSocket.terminate(), flushMs);
    webSocket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    webSocket.resume(); // A paused socket would not read the peer's answer.
    webSocket.close(code, reason);
  });
}
