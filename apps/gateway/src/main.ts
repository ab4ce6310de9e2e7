import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserHost } from '@turnpike/contract/host';
import { createAddressGuard } from '@turnpike/process/address-guard';
import { type Observation, unobserved } from '@turnpike/process/observation';
import type { Logger } from 'pino';
import { Sealer } from './accounts/sealing.ts';
import { buildApp } from './app.ts';
import type { GatewayConfig } from './config.ts';
import { WebhookDeliveries } from './events/deliver-webhooks.ts';
import { EventStreams } from './events/event-stream.ts';
import type { Gateway } from './gateway.ts';
import { HostRegistry } from './hosts/host-registry.ts';
import { joinHost, keepLeases } from './hosts/lease.ts';
import { takeCensus } from './metrics/census.ts';
import { GatewayMetrics } from './metrics/gateway-metrics.ts';
import { Endings } from './sessions/endings.ts';
import { WaitingLine } from './sessions/waiting-line.ts';
import { openDatabase } from './store/database.ts';

export interface RunningGateway {
  gateway: Gateway;
  url: string;
  /** Is no longer ready; after the drain delay takes no new creates, lets answers in flight finish, and stops listening. Browsers go on. */
  drain(): Promise<void>;
  /** After the hosts are down: stores what they still reported, and closes the store. */
  stop(): Promise<void>;
}

/** How long answers in flight may take, beyond the time of a create, before their connections are cut. */
const drainGraceMs = 5000;

/** Wires a gateway together and starts it, with the hosts that live in this process. */
export async function startGateway(
  config: GatewayConfig,
  logger: Logger,
  hosts: readonly BrowserHost[],
  now: () => number = Date.now,
  { registry, tracer }: Observation = unobserved(),
): Promise<RunningGateway> {
  await using undo = new AsyncDisposableStack();
  const proxyGuard = createAddressGuard(config.proxyAllow, 'TURNPIKE_PROXY_ALLOW');
  const metrics = new GatewayMetrics(registry);
  const db = await openDatabase(config.store, logger, metrics.store.log);
  undo.defer(() => db.destroy());
  const gateway: Gateway = {
    db,
    hosts: new HostRegistry(),
    endings: new Endings(db, logger),
    proxyGuard,
    products: config.products,
    sealer: new Sealer(config.secretKey),
    line: undo.use(new WaitingLine(db, logger, now)),
    logger,
    metrics,
    tracer,
    createTimeoutMs: config.createTimeoutMs,
    isDraining: false,
    now,
  };
  takeCensus(registry, gateway);
  for (const host of hosts) await joinHost(gateway, host);
  const leases = undo.use(keepLeases(gateway));
  const webhooks = undo.use(new WebhookDeliveries(gateway));
  const streams = undo.use(new EventStreams(db, logger));
  const app = buildApp(gateway, streams);
  await app.listen({ host: config.bind, port: config.port });
  const { port } = app.server.address() as AddressInfo;
  undo.move();

  return {
    gateway,
    url: `http://${config.bind.includes(':') ? `[${config.bind}]` : config.bind}:${port}`,
    async drain() {
      gateway.isDraining = true;
      await delay(config.drainDelayMs);
      gateway.hosts.drain();
      // A connection whose answer was in flight is idle once it has it; nobody else would close it then.
      const sweep = setInterval(() => app.server.closeIdleConnections(), 50);
      const cut = setTimeout(() => app.server.closeAllConnections(), config.createTimeoutMs + drainGraceMs);
      await app.close();
      clearInterval(sweep);
      clearTimeout(cut);
    },
    async stop() {
      await leases[Symbol.asyncDispose]();
      await gateway.line[Symbol.asyncDispose]();
      await streams[Symbol.asyncDispose]();
      await webhooks[Symbol.asyncDispose]();
      await gateway.endings.deliverAll();
      await db.destroy();
    },
  };
}
