import type { WebSocket } from 'ws';
import type { Display } from '../display/display-door.ts';
import { closeCodes, closeWebSocket, ViewerConnection } from './viewer-connection.ts';

/** Each costs the display an encoder and the host up to two megabytes. */
const maxConnections = 16;

/** Those who look at one session. */
export class Viewer {
  readonly #display: Display;
  readonly #connections = new Set<ViewerConnection>();
  /** What viewers have said so far. */
  traffic = 0;
  #closed: { code: number; reason: string } | undefined;

  constructor(display: Display) {
    this.#display = display;
  }

  connect(webSocket: WebSocket, { viewOnly }: { viewOnly: boolean }): void {
    webSocket.on('error', () => {}); // A close follows.
    if (this.#closed) return void closeWebSocket(webSocket, this.#closed.code, this.#closed.reason);
    if (this.#connections.size >= maxConnections) {
      return void closeWebSocket(webSocket, closeCodes.tooMany, 'too many viewers');
    }
    const connection = new ViewerConnection(webSocket, this.#display.connect(), viewOnly);
    this.#connections.add(connection);
    webSocket.on('message', () => this.traffic++);
    webSocket.on('close', () => this.#connections.delete(connection));
  }

  async close(code: number, reason: string): Promise<void> {
    this.#closed = { code, reason };
    await Promise.all(Array.from(this.#connections, (connection) => connection.close(code, reason)));
  }
}

/** What a viewer's token opens. */
export interface ViewerAccess {
  viewer: Viewer;
  viewOnly: boolean;
  /** Of the same session's live view without input; the same where this is it. */
  viewOnlyToken: string;
}
