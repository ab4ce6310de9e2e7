import http from 'node:http';
import { connect, type Socket } from 'node:net';
import type { UpstreamProxy } from '@turnpike/contract/host';
import { closeServer, listen } from '../fixtures/network/listen.ts';

export interface LocalProxy extends AsyncDisposable {
  proxy: UpstreamProxy;
  /** Cuts every tunnel, as a network that fails does. */
  cut(): void;
  /** From now on takes no tunnel, or takes them again; plain requests pass all the same. */
  refuse(on: boolean): void;
}

/** A forward proxy to this machine whose tunnels can be cut. */
export async function startLocalProxy(): Promise<LocalProxy> {
  const tunnels = new Set<Socket>();
  let refuses = false;
  const server = http.createServer((request, response) => {
    const { method, headers } = request;
    const onward = http.request(request.url ?? '', { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.on('connect', (request, socket: Socket, head: Buffer) => {
    if (refuses) return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    const { hostname, port } = new URL(`http://${request.url}`);
    const onward = connect(Number(port || 80), hostname);
    onward.once('error', () => socket.writable && socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    onward.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    socket.on('error', () => {}).on('close', () => onward.destroy());
    onward.on('close', () => socket.destroySoon());
    tunnels.add(socket);
    socket.on('close', () => tunnels.delete(socket));
  });
  const port = await listen(server);
  const cut = () => {
    for (const tunnel of tunnels) tunnel.destroy();
  };
  return {
    proxy: { scheme: 'http', host: '127.0.0.1', port, addresses: ['127.0.0.1'] },
    cut,
    refuse(on) {
      refuses = on;
    },
    async [Symbol.asyncDispose]() {
      cut();
      await closeServer(server);
    },
  };
}
