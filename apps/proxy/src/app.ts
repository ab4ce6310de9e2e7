import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import type { MeterBackend } from '@turnpike/contract/bandwidth';
import { type Observation, unobserved } from '@turnpike/process/observation';
import { ownedBy, type WorkOwner } from '@turnpike/process/work/work';
import { createAddressGuard } from '@turnpike/tunnel/addresses/address-guard';
import { IdleConnections } from '@turnpike/tunnel/idle-connections';
import { type Connection, serveConnections } from '@turnpike/tunnel/sockets/connection';
import type { Logger } from 'pino';
import { Admission } from './admission.ts';
import { Clients } from './clients.ts';
import type { ProxyConfig } from './config.ts';
import { type SideParts, serveHttpClient } from './http-side.ts';
import { Meter } from './meter.ts';
import { ProductRoutes } from './product-routes.ts';
import { ProxyMetrics } from './proxy-metrics.ts';
import { serveSocksClient } from './socks-side.ts';
import { SuspensionWatch } from './suspension-watch.ts';

export interface RunningProxy {
  /** `http://host:port`; SOCKS5 is spoken on the same port. */
  url: string;
  /** Reports the bytes that were counted so far. */
  report(): Promise<void>;
  /** Closes every connection and reports the last bytes. */
  stop(): Promise<void>;
}

const socksVersion = 5;
/** A host with many browsers has one address, so this is large. A new connection has seconds to log in. */
const newPerAddress = 500;

/** Starts the metered proxy: HTTP CONNECT, plain HTTP and SOCKS5 on one port, told apart by the first byte. */
export async function startProxy(
  config: ProxyConfig,
  backend: MeterBackend,
  logger: Logger,
  { registry }: Observation = unobserved(),
): Promise<RunningProxy> {
  const guard = createAddressGuard(config.targetAllow, 'TURNPIKE_PROXY_TARGET_ALLOW');
  const server = net.createServer({ allowHalfOpen: true, keepAlive: true });
  server.listen(config.port, config.bind);
  await once(server, 'listening');
  const routes = new ProductRoutes(config.products, guard);
  const clients = new Clients({ perAccount: config.accountConnections, newPerAddress });
  const metrics = new ProxyMetrics(registry);
  const meter = new Meter(backend, logger, metrics, backend.now);
  const idle = new IdleConnections();
  const watch = new SuspensionWatch(backend, { clients, idle }, logger);
  const { handshakeMs } = config;
  const parts: SideParts = { admission: new Admission(backend, routes, clients), metrics, idle, handshakeMs };

  const sockets = serveConnections(
    server,
    (connection) => ownedBy(new ConnectionWork(connection), () => serve(connection)),
    (error) => {
      metrics.failure();
      logger.debug({ err: error }, 'a connection was ended: serving it failed');
    },
  );

  async function serve(connection: Connection): Promise<void> {
    metrics.connected();
    connection.onClose(() => metrics.disconnected());
    const client = meter.connection(connection);
    if (!clients.add(client)) return connection.destroy();
    const first = await firstByte(connection, handshakeMs);
    if (first === socksVersion) await serveSocksClient(client, parts);
    else if (first !== undefined) await serveHttpClient(client, parts);
    else connection.close();
  }

  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${config.bind.includes(':') ? `[${config.bind}]` : config.bind}:${port}`,
    report: () => meter.report(),
    async stop() {
      server.close();
      watch.stop();
      await sockets.close();
      idle.close();
      routes.close();
      await meter.stop();
    },
  };
}

/** The proxy's work for one connection. One that holds the thread is closed. */
class ConnectionWork implements WorkOwner {
  readonly workName = 'a connection of the metered proxy';
  busyMs = 0;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  onStalled(): void {
    this.#connection.destroy();
  }
}

async function firstByte(connection: Connection, withinMs: number): Promise<number | undefined> {
  using _deadline = connection.deadline(withinMs);
  return (await connection.peek())?.[0];
}
