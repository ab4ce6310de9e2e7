import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import type { MeterBackend } from '@turnpike/contract/bandwidth';
import { createAddressGuard } from '@turnpike/process/address-guard';
import { type Observation, unobserved } from '@turnpike/process/observation';
import type { Logger } from 'pino';
import { Admission } from './admission.ts';
import type { ProxyConfig } from './config.ts';
import { HttpSide } from './http-side.ts';
import { Meter, type MeteredConnection } from './meter.ts';
import { ProxyMetrics } from './proxy-metrics.ts';
import { RoutesOut } from './routes-out.ts';
import { serveSocks } from './socks-side.ts';

export interface RunningProxy {
  /** `http://host:port`; SOCKS5 is spoken on the same port. */
  url: string;
  /** Reports what was counted so far. */
  report(): Promise<void>;
  /** Breaks every connection off, and reports the last bytes. */
  stop(): Promise<void>;
}

const socksVersion = 5;
const firstByteTimeoutMs = 15_000;

/** The metered proxy: HTTP CONNECT, plain HTTP and SOCKS5 on one port, told apart by the first byte. */
export async function startProxy(
  config: ProxyConfig,
  backend: MeterBackend,
  logger: Logger,
  { registry }: Observation = unobserved(),
): Promise<RunningProxy> {
  const guard = createAddressGuard(config.targetAllow, 'TURNPIKE_PROXY_TARGET_ALLOW');
  const server = net.createServer({ allowHalfOpen: true, noDelay: true, keepAlive: true });
  server.listen(config.port, config.bind);
  await once(server, 'listening');
  const routes = new RoutesOut(config.products, guard);
  const admission = new Admission(backend, routes);
  const metrics = new ProxyMetrics(registry);
  const httpSide = new HttpSide(admission, metrics);
  const meter = new Meter(backend, logger, metrics, backend.now);
  const sockets = new Set<Socket>();

  server.on('connection', (socket) => {
    sockets.add(socket);
    metrics.connected();
    socket.once('close', () => {
      sockets.delete(socket);
      metrics.disconnected();
    });
    socket.on('error', () => {}); // A close follows.
    const connection = meter.connection(socket);
    socket.setTimeout(firstByteTimeoutMs, () => socket.destroy());
    socket.once('readable', () => serve(socket, connection));
  });

  function serve(socket: Socket, connection: MeteredConnection): void {
    const first: Buffer | null = socket.read(1);
    if (!first) return void socket.destroy();
    socket.unshift(first);
    socket.setTimeout(0);
    if (first[0] === socksVersion) void serveSocks(socket, connection, admission, metrics);
    else httpSide.serve(socket, connection);
  }

  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${config.bind.includes(':') ? `[${config.bind}]` : config.bind}:${port}`,
    report: () => meter.report(),
    async stop() {
      server.close();
      const closing = Array.from(sockets, (socket) => once(socket, 'close'));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closing);
      routes.close();
      httpSide.close();
      await meter.stop();
    },
  };
}
