// ChromeDriver reaches a browser at `host:port` and nowhere else; a session's address has a path and may need TLS.
// This gives a session an address on this machine, of the kind that ChromeDriver takes as `debuggerAddress`.
import { once } from 'node:events';
import { createServer } from 'node:http';
import net from 'node:net';
import tls from 'node:tls';

export async function debuggerAddress(cdpUrl) {
  const target = new URL(cdpUrl);
  const secure = target.protocol === 'wss:';
  const base = cdpUrl.replace(/^ws/, 'http');
  const open = new Set();

  const server = createServer(async (request, response) => {
    const answer = await fetch(base + request.url);
    const text = (await answer.text())
      .replaceAll(`${cdpUrl}/page/`, `ws://${request.headers.host}/devtools/page/`)
      .replaceAll(`"${cdpUrl}"`, `"ws://${request.headers.host}/devtools/browser/session"`);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  // WebSockets are handed through as they are, under the session's own path.
  server.on('upgrade', (request, client, head) => {
    const page = /^\/devtools\/page\/(\w+)/.exec(request.url)?.[1];
    const path = page ? `${target.pathname}/page/${page}` : target.pathname;
    const port = Number(target.port) || (secure ? 443 : 80);
    const there = (secure ? tls : net).connect({ host: target.hostname, port, servername: target.hostname });
    const headers = { ...request.headers, host: target.host };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    there.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    there.write(head);
    for (const [from, to] of [
      [client, there],
      [there, client],
    ]) {
      open.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => open.delete(from));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${server.address().port}`,
    close() {
      server.close();
      server.closeAllConnections();
      for (const socket of open) socket.destroy();
    },
  };
}
