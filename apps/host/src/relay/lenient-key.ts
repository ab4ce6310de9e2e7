import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { WebSocketServer } from 'ws';

const protocolGuid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const validKey = /^[+/0-9A-Za-z]{22}==$/;
const validExample = `${'A'.repeat(22)}==`;

/**
 * Accepts any `Sec-WebSocket-Key` that is not empty, as Chromium's DevTools server does. Some clients rely on it: go-rod
 * sends `nil`. The key only proves to a client that it talks to a WebSocket server. So a key that `ws` would refuse is
 * replaced for `ws`, and the answer is computed from the key as it came.
 */
export class LenientKeys {
  readonly #given = new WeakMap<IncomingMessage, string>();

  constructor(webSockets: WebSocketServer) {
    webSockets.on('headers', (headers, request) => {
      const key = this.#given.get(request);
      if (key === undefined) return;
      const accept = createHash('sha1').update(`${key}${protocolGuid}`).digest('base64');
      const at = headers.findIndex((header) => /^sec-websocket-accept:/i.test(header));
      headers[at] = `Sec-WebSocket-Accept: ${accept}`;
    });
  }

  /** Call before the upgrade. */
  accept(request: IncomingMessage): void {
    const { 'sec-websocket-key': key } = request.headers;
    if (!key || validKey.test(key)) return;
    this.#given.set(request, key);
    request.headers['sec-websocket-key'] = validExample;
  }
}
