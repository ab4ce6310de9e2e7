import { endingOf, interruptionOf, type Notice, unknownEnding } from './endings.ts';
import RFB from './novnc/core/rfb.js';

const firstDelayMs = 500;
const maxDelayMs = 15_000;

export interface ConnectionOptions {
  url: string;
  target: HTMLElement;
  viewOnly: boolean;
  onConnected(rfb: RFB): void;
  /** The connection was lost and is being made again. */
  onInterrupted(notice: Notice): void;
  /** The session has ended. */
  onEnded(notice: Notice): void;
}

/** The connection to the session's display. It reconnects until the session has ended. */
export class Connection {
  /** Undefined while there is no connection. */
  rfb: RFB | undefined;
  readonly #options: ConnectionOptions;
  #failures = 0;
  #timer: number | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  connect(): void {
    clearTimeout(this.#timer);
    const { url, target, viewOnly, onConnected } = this.#options;
    // A WebSocket of our own, because noVNC does not report the code of its close.
    const socket = new WebSocket(url);
    socket.addEventListener('close', (event) => void this.#closed(event.code));
    const rfb = new RFB(target, socket, { shared: true });
    rfb.viewOnly = viewOnly;
    rfb.scaleViewport = true;
    rfb.focusOnClick = true;
    rfb.showDotCursor = true;
    rfb.background = 'transparent';
    rfb.addEventListener('connect', () => {
      this.#failures = 0;
      onConnected(rfb);
    });
    this.rfb = rfb;
  }

  async #closed(code: number): Promise<void> {
    this.rfb = undefined;
    const ending = endingOf(code) ?? ((await this.#isGone()) ? unknownEnding : undefined);
    if (ending) return this.#options.onEnded(ending);
    this.#options.onInterrupted(interruptionOf(code));
    const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** this.#failures);
    this.#failures += 1;
    // Spread, so that not all viewers come back at the same moment.
    this.#timer = setTimeout(() => this.connect(), delayMs * (0.75 + Math.random() / 2));
  }

  /** Asks for the page: a refused WebSocket does not say why. */
  async #isGone(): Promise<boolean> {
    try {
      const { status } = await fetch(location.href, { method: 'HEAD', cache: 'no-store' });
      return status === 404;
    } catch {
      return false;
    }
  }
}
