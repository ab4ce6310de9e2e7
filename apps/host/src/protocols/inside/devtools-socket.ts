import { type ClientOptions, WebSocket } from 'ws';
import type { Inside } from './inside.ts';

/** Opens a WebSocket to the session's DevTools. The caller waits for its `open`. */
export async function devtoolsSocket(inside: Inside, options: ClientOptions): Promise<WebSocket> {
  const socket = await inside.connectDevTools();
  return new WebSocket('ws://devtools/devtools/browser', {
    createConnection: () => socket,
    perMessageDeflate: false,
    ...options,
  });
}
