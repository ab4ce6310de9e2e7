import http, { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { closeServer, listen } from '../../tests/fixtures/network/listen.ts';

interface NewSession {
  value: { sessionId: string; capabilities: { webSocketUrl?: string } };
}

/**
 * Serves a gateway's WebDriver so that BiDi is at `/session/<id>` of the same address. The tests' client wants nothing
 * else there, where a session's own address has its secret in the path. All else passes as it is.
 */
export async function atStandardAddresses(gatewayUrl: string): Promise<{ port: number } & AsyncDisposable> {
  const gateway = new URL(gatewayUrl);
  const webSockets = new Map<string, URL>();
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const to = { host: gateway.hostname, port: gateway.port, method, path, headers };
    const upstream = http.request({ ...to, headers: { ...headers, host: gateway.host } });
    upstream.on('error', () => response.destroy());
    upstream.on('response', async (answer) => {
      const content = await text(answer);
      const isNew = method === 'POST' && path === '/session' && answer.statusCode === 200;
      const { 'content-length': _, 'transfer-encoding': __, ...rest } = answer.headers;
      response.writeHead(answer.statusCode ?? 500, rest).end(isNew ? renamed(content, request) : content);
    });
    request.pipe(upstream);
  });
  function renamed(content: string, { headers }: IncomingMessage): string {
    const created = JSON.parse(content) as NewSession;
    const { sessionId, capabilities } = created.value;
    if (capabilities.webSocketUrl !== undefined) {
      webSockets.set(`/session/${sessionId}`, new URL(capabilities.webSocketUrl));
      capabilities.webSocketUrl = `ws://${headers.host}/session/${sessionId}`;
    }
    return JSON.stringify(created);
  }
  server.on('upgrade', (request, socket, head) => {
    const url = webSockets.get(request.url ?? '');
    if (!url) return void socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
    const upstream = connect(Number(url.port), url.hostname);
    socket.on('error', () => {}).once('close', () => upstream.destroy());
    upstream.on('error', () => {}).once('close', () => socket.destroy());
    const lines = request.rawHeaders.flatMap((name, at, all) =>
      at % 2 === 0 ? `${name}: ${all[at + 1]}` : [],
    );
    upstream.write(`GET ${url.pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    upstream.write(head);
    socket.pipe(upstream).pipe(socket);
  });
  return { port: await listen(server), [Symbol.asyncDispose]: () => closeServer(server) };
}
