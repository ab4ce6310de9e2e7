import { endingOf, interruptionOf, unknownEnding } from './endings.js';
import RFB from './novnc/core/rfb.js';

const firstDelayMs = 500;
const maxDelayMs = 15_000;

/**
 * The connection to the session's display: it comes back by itself until the session has ended. Events: `connected`
 * with the RFB object, `interrupted` and `ended` with a title and a text.
 */
export class Connection extends EventTarget {
  rfb;
  #url;
  #target;
  #viewOnly;
  #failures = 0;
  #timer;

  constructor({ url, target, viewOnly }) {
    super();
    this.#url = url;
    this.#target = target;
    this.#viewOnly = viewOnly;
  }

  connect() {
    clearTimeout(this.#timer);
    // Its own WebSocket, because noVNC does not tell with which code one was closed.
    const socket = new WebSocket(this.#url);
    socket.addEventListener('close', (event) => void this.#closed(event.code));
    const rfb = new RFB(this.#target, socket, { shared: true });
    rfb.viewOnly = this.#viewOnly;
    rfb.scaleViewport = true;
    rfb.focusOnClick = true;
    rfb.showDotCursor = true;
    rfb.background = 'transparent';
    rfb.addEventListener('connect', () => {
      this.#failures = 0;
      this.#tell('connected', rfb);
    });
    this.rfb = rfb;
  }

  async #closed(code) {
    this.rfb = undefined;
    const ending = endingOf(code) ?? ((await this.#isGone()) ? unknownEnding : undefined);
    if (ending) return this.#tell('ended', ending);
    this.#tell('interrupted', interruptionOf(code));
    const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** this.#failures);
    this.#failures += 1;
    // Not all viewers at the same moment.
    this.#timer = setTimeout(() => this.connect(), delayMs * (0.75 + Math.random() / 2));
  }

  /** A refused WebSocket does not say why; the page itself does. */
  async #isGone() {
    try {
      const { status } = await fetch(location.href, { method: 'HEAD', cache: 'no-store' });
      return status === 404;
    } catch {
      return false;
    }
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
