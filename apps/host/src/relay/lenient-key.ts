import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { WebSocketServer } from 'ws';

const protocolGuid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const properKey = /^[+/0-9A-Za-z]{22}==$/;
const standIn = `${'A'.repeat(22)}==`;

/**
 * Chromium's DevTools server takes any `Sec-WebSocket-Key` that is not empty, and there are clients that rely on it:
 * go-rod sends `nil`. The key only tells a client that it speaks with a WebSocket server. So one that `ws` would refuse
 * is put aside, and answered as it came.
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

  /** Before the upgrade. */
  accept(request: IncomingMessage): void {
    const { 'sec-websocket-key': key } = request.headers;
    if (!key || properKey.test(key)) return;
    this.#given.set(request, key);
    request.headers['sec-websocket-key'] = standIn;
  }
}
