import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { Server } from 'proxy-chain';
import { Forwarder } from '../../apps/host/src/forwarder/forwarder.ts';
import { SessionTraffic } from '../../apps/host/src/forwarder/session-traffic.ts';
import { startMetered } from '../../tests/proxy/metered.ts';

/**
 * A Node server of `bench/proxy.ts`, in a process of its own. Its arguments are a role and, if it forwards, the port of
 * its upstream proxy. It sends where it listens, and then, on each message, the bytes that it has metered.
 */
export interface Listening {
  port: number;
  user: string;
  password: string;
}

interface Serving extends Listening {
  metered?: () => Promise<number>;
}

export const largeBytes = 2 ** 30;
const noLogin = { user: 'u', password: 'p' };

const roles: Record<string, (upstreamPort: number) => Promise<Serving>> = {
  async metered() {
    const proxy = await startMetered('sqlite', { accountConnections: 2000 });
    const account = await proxy.account();
    return {
      port: proxy.port,
      user: account.proxyUser,
      password: account.proxyPassword,
      async metered() {
        await proxy.proxy.report();
        return proxy.counted(account, 'residential');
      },
    };
  },

  async forwarder(upstreamPort) {
    const upstream = {
      scheme: 'http',
      host: '127.0.0.1',
      port: upstreamPort,
      addresses: ['127.0.0.1'],
    } as const;
    const traffic = new SessionTraffic(upstream, {}, { proxyTimeoutMs: 10_000 });
    const forwarder = new Forwarder();
    forwarder.bind(traffic);
    const listener = net.createServer({ allowHalfOpen: true });
    forwarder.adopt(listener);
    const port = await listen(listener);
    return { port, ...noLogin, metered: async () => traffic.counters.bytesUp + traffic.counters.bytesDown };
  },

  'proxy-chain': (upstreamPort) => startProxyChain(upstreamPort),

  /** Without Node's usual pool, which keeps connections to targets and uses them for all clients. */
  'proxy-chain-not-sharing': (upstreamPort) =>
    startProxyChain(upstreamPort, new http.Agent({ keepAlive: false })),

  /** An upstream proxy for tunnels that is also what they lead to: it answers every GET with a gibibyte. */
  async endless() {
    const server = net.createServer((socket) => {
      let text = '';
      socket.on('error', () => socket.destroy());
      socket.on('data', (bytes) => {
        text += bytes;
        if (!text.endsWith('\r\n\r\n')) return;
        if (text.startsWith('CONNECT ')) socket.write('HTTP/1.1 200 OK\r\n\r\n');
        else sendLarge(socket);
        text = '';
      });
    });
    return { port: await listen(server), ...noLogin };
  },
};

async function startProxyChain(upstreamPort: number, httpAgent?: http.Agent): Promise<Serving> {
  const upstreamProxyUrl = upstreamPort > 0 ? `http://127.0.0.1:${upstreamPort}` : null;
  const server = new Server({
    host: '127.0.0.1',
    port: 0,
    prepareRequestFunction: ({ password }) => ({
      requestAuthentication: password !== noLogin.password,
      upstreamProxyUrl,
      ...(httpAgent && { httpAgent }),
    }),
  });
  await server.listen();
  return { port: server.port, ...noLogin };
}

const piece = Buffer.alloc(2 ** 20, 'x');

function sendLarge(socket: net.Socket): void {
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${largeBytes}\r\n\r\n`);
  let left = largeBytes;
  const send = () => {
    while (left > 0) {
      left -= piece.length;
      if (!socket.write(piece)) break;
    }
    if (left > 0) socket.once('drain', send);
  };
  send();
}

async function listen(server: net.Server): Promise<number> {
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

if (process.argv[1] === import.meta.filename) {
  const [, , role = '', upstreamPort = '0'] = process.argv;
  const start = roles[role];
  if (!start) throw new Error(`There is no role ${role}`);
  const { metered = async () => 0, ...listening } = await start(Number(upstreamPort));
  process.on('message', async () => process.send?.(await metered()));
  process.on('disconnect', () => process.exit());
  process.send?.(listening);
}
