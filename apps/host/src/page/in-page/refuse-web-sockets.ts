// biome-ignore-all lint/correctness/noUnusedVariables: called by name, see page-script.ts.

/**
 * Replaces `WebSocket` by one whose connections fail, as those to a host that does not answer. Chromium's
 * `Network.setBlockedURLs` leaves WebSockets alone, and `Fetch` does not see them.
 */
function refuseWebSockets(): void {
  class Refused extends EventTarget {
    static readonly CONNECTING = 0;
    static readonly OPEN = 1;
    static readonly CLOSING = 2;
    static readonly CLOSED = 3;
    readonly CONNECTING = 0;
    readonly OPEN = 1;
    readonly CLOSING = 2;
    readonly CLOSED = 3;
    readonly url: string;
    readonly protocol = '';
    readonly extensions = '';
    readonly bufferedAmount = 0;
    binaryType = 'blob';
    readyState = 0;
    onopen: unknown = null;
    onmessage: unknown = null;
    onerror: unknown = null;
    onclose: unknown = null;

    constructor(url: string | URL) {
      super();
      this.url = String(url);
      setTimeout(() => {
        this.readyState = 3;
        this.#tell(new Event('error'));
        this.#tell(new CloseEvent('close', { code: 1006, wasClean: false }));
      });
    }

    send(): void {
      if (this.readyState === 0) throw new DOMException('Still in CONNECTING state.', 'InvalidStateError');
    }

    close(): void {}

    #tell(event: Event): void {
      const listener = event.type === 'error' ? this.onerror : this.onclose;
      if (typeof listener === 'function') listener.call(this, event);
      this.dispatchEvent(event);
    }
  }
  Object.defineProperty(Refused, 'name', { value: 'WebSocket' });
  Object.defineProperty(globalThis, 'WebSocket', { value: Refused, writable: true, configurable: true });
}
