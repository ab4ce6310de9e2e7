import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { listen } from '../fixtures/network/listen.ts';
import { mutate } from './mutate.ts';
import { cuts } from './play.ts';
import type { Random } from './random.ts';

export interface HostilePeer extends AsyncDisposable {
  port: number;
  /** Connections that it had. */
  connections(): number;
  /** Answers everybody with these bytes, until it is told otherwise. */
  answerWith(bytes: Buffer | undefined): void;
}

const answers = [
  'HTTP/1.1 200 Connection established\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 45\r\n\r\n<script>fetch("/a");fetch("//b.test")</script>',
  'HTTP/1.1 302 Found\r\nLocation: http://c.test/\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
  'HTTP/1.0 200 OK\r\n\r\nuntil the end',
  '\x05\x02\x01\x00\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00',
].map((text) => Buffer.from(text, 'latin1'));

/** What the service's own look whether a proxy works, and the probe of where it leads, are told. */
const honest = Buffer.from('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');

/**
 * A customer's proxy, or a site, that answers with mutated answers and cuts connections at every step. It is honest
 * only when a session is created, because without that there would be no session to harm.
 */
export async function startHostilePeer(random: Random): Promise<HostilePeer> {
  const open = new Set<Socket>();
  let connections = 0;
  let given: Buffer | undefined;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    socket.on('data', (bytes) => (given ? socket.end(given) : answer(random, socket, bytes)));
    socket.setTimeout(5000, () => socket.destroy());
  });
  const port = await listen(server);
  return {
    port,
    connections: () => connections,
    answerWith(bytes) {
      given = bytes;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}

function answer(random: Random, socket: Socket, asked: Buffer): void {
  if (socket.destroyed || socket.writableEnded) return;
  if (asked.includes('turnpike-check.invalid')) return void socket.end(honest);
  const valid = random.pick(answers);
  const bytes = random.chance(0.3) ? valid : mutate(random, valid, random.pick(answers));
  const cut = random.pick(cuts);
  socket.write(cut === 'none' ? bytes : bytes.subarray(0, random.below(bytes.length + 1)));
  if (cut === 'rst') socket.resetAndDestroy();
  else if (cut === 'fin') socket.destroySoon();
  else if (cut === 'half-close') socket.end();
}
