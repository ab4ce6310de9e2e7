import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { WebSocket } from 'ws';
import { devtoolsSocket } from '../inside/devtools-socket.ts';
import type { Inside } from '../inside/inside.ts';

/** As Playwright's own, for what it reads from a browser. */
const maxMessageBytes = 256 * 2 ** 20;

interface Message {
  method?: string;
  params?: { state?: string; guid?: string; filePath?: string };
}

/** The session's DevTools, in the form that `connectOverCDP` takes. */
export class DevToolsTransport {
  onmessage?: (message: object) => void;
  onclose?: (reason?: string) => void;
  readonly #webSocket: WebSocket;
  readonly #artifacts: string;

  private constructor(webSocket: WebSocket, artifacts: string) {
    this.#webSocket = webSocket;
    this.#artifacts = artifacts;
    webSocket.on('message', (data) => this.#receive(JSON.parse(String(data))));
    webSocket.on('close', () => this.onclose?.());
  }

  /** `artifacts` is the directory in which Playwright looks for downloads. */
  static async connect(inside: Inside, artifacts: string): Promise<DevToolsTransport> {
    const webSocket = await devtoolsSocket(inside, {
      maxPayload: maxMessageBytes,
      // Playwright needs a task of its own for each message.
      allowSynchronousEvents: false,
    });
    webSocket.on('error', () => {}); // A close follows.
    await once(webSocket, 'open');
    return new DevToolsTransport(webSocket, artifacts);
  }

  send(message: object): void {
    this.#webSocket.send(JSON.stringify(message));
  }

  close(): void {
    this.#webSocket.close();
  }

  #receive(message: Message): void {
    if (message.method === 'Browser.downloadProgress') this.#showDownload(message.params);
    this.onmessage?.(message);
  }

  /**
   * The browser saves downloads among the session's files, under their own names. Playwright looks for them under their
   * ids, among its artifacts, as soon as it hears that they are complete.
   */
  #showDownload({ state, guid, filePath }: NonNullable<Message['params']> = {}): void {
    if (state !== 'completed' || guid === undefined || !filePath) return;
    try {
      symlinkSync(filePath, join(this.#artifacts, guid));
    } catch {
      // It exists, or the session's files take no more: then Playwright reports that there is no file.
    }
  }
}
