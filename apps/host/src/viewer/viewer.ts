import type { WorkOwner } from '@turnpike/process/work/work';
import type { WebSocket } from 'ws';
import type { Display } from '../display/display-socket.ts';
import type { ByteBudget } from '../memory/byte-budget.ts';
import type { ViewerInput } from './view-only-filter.ts';
import { closeCodes, closeWebSocket, ViewerConnection } from './viewer-connection.ts';

/** Each viewer needs an encoder in the X server. */
const maxConnections = 16;

/** How much the host may buffer for one viewer, in both directions. */
const connectionBytes = 4 * 2 ** 20;

/** The viewers of one session. */
export class Viewer {
  readonly #display: Display;
  readonly #budget: Pick<ByteBudget, 'reserve'>;
  readonly #work: WorkOwner;
  readonly #onInput: ((input: ViewerInput) => void) | undefined;
  readonly #connections = new Set<ViewerConnection>();
  /** The number of messages from viewers so far. */
  traffic = 0;
  #closed: { code: number; reason: string } | undefined;

  /** `budget`, `work`: the session's. `onInput`: hears that a viewer uses pointer or keys. */
  constructor(
    display: Display,
    budget: Pick<ByteBudget, 'reserve'>,
    work: WorkOwner,
    onInput?: (input: ViewerInput) => void,
  ) {
    this.#display = display;
    this.#work = work;
    this.#budget = budget;
    this.#onInput = onInput;
  }

  get count(): number {
    return this.#connections.size;
  }

  connect(webSocket: WebSocket, { viewOnly }: { viewOnly: boolean }): void {
    webSocket.on('error', () => {}); // A close follows.
    if (this.#closed) return void closeWebSocket(webSocket, this.#closed.code, this.#closed.reason);
    if (this.#connections.size >= maxConnections) {
      return void closeWebSocket(webSocket, closeCodes.tooMany, 'too many viewers');
    }
    const reserved = this.#budget.reserve(connectionBytes);
    if (!reserved) {
      return void closeWebSocket(
        webSocket,
        closeCodes.noRoom,
        "the session's buffers are full; try again later",
      );
    }
    webSocket.once('close', () => reserved[Symbol.dispose]());
    const connection = this.#open(webSocket, viewOnly);
    if (!connection) return;
    this.#connections.add(connection);
    webSocket.on('message', () => this.traffic++);
    webSocket.on('close', () => this.#connections.delete(connection));
  }

  async close(code: number, reason: string): Promise<void> {
    this.#closed = { code, reason };
    await Promise.all(Array.from(this.#connections, (connection) => connection.close(code, reason)));
  }

  #open(webSocket: WebSocket, viewOnly: boolean): ViewerConnection | undefined {
    try {
      return new ViewerConnection(webSocket, this.#display.connect(), {
        viewOnly,
        work: this.#work,
        onInput: this.#onInput,
      });
    } catch {
      void closeWebSocket(webSocket, closeCodes.displayLost, 'display lost');
      return undefined;
    }
  }
}

/** The rights of a viewer token. */
export interface ViewerAccess {
  viewer: Viewer;
  viewOnly: boolean;
  /** The token of the same session's live view without input. */
  viewOnlyToken: string;
}
