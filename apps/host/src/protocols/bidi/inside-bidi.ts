import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { devtoolsSocket } from '../inside/devtools-socket.ts';
import type { Inside } from '../inside/inside.ts';
import { maxMessageBytes, serveClient } from './bidi-client.ts';

/**
 * Paths below a session's BiDi URL: `/session/<id>` belongs to a WebDriver session, which exists already. With the
 * others the client creates a BiDi session itself.
 */
const sessionPath = /^\/(?:session(?:\/([^/?]+))?)?\/?(?:\?.*)?$/;

/** Serves WebDriver BiDi: see `Serve`. */
export default async function serve(inside: Inside): Promise<void> {
  // The mapper leaves promises alone whose commands fail, for example because a page is gone. Nobody waits for them.
  process.on('unhandledRejection', (reason) => console.error('A promise of the BiDi mapper:', reason));
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
  });
  const server = createServer((_request, response) => {
    const headers = { 'content-type': 'text/plain', 'x-error-code': 'BAD_REQUEST', upgrade: 'websocket' };
    response.writeHead(426, headers).end('This is the address of a WebSocket for WebDriver BiDi.');
  });
  server.on('upgrade', (request, socket, head) => {
    const [matched, attachedTo] = sessionPath.exec(request.url ?? '') ?? [];
    if (matched === undefined) {
      socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      return;
    }
    webSockets.handleUpgrade(request, socket, head, (client) => {
      void serveClient(
        client,
        () => devtoolsSocket(inside, { maxPayload: 2 * maxMessageBytes }),
        attachedTo !== undefined,
      );
    });
  });
  inside.onClient((socket) => server.emit('connection', socket));
}
