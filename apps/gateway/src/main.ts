import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningHost } from '@turnpike/contract/host';
import { createAddressGuard } from '@turnpike/process/address-guard';
import { PrivateClient } from '@turnpike/process/cluster/private-client';
import { type Observation, unobserved } from '@turnpike/process/observation';
import type { Logger } from 'pino';
import { Sealer } from './accounts/sealing.ts';
import { buildApp } from './app.ts';
import type { GatewayConfig } from './config.ts';
import { WebhookDeliveries } from './events/deliver-webhooks.ts';
import { EventStreams } from './events/event-stream.ts';
import type { Gateway } from './gateway.ts';
import { HostDirectory } from './hosts/host-directory.ts';
import { Leases } from './hosts/leases.ts';
import { createPrivateSide } from './hosts/private-side.ts';
import { takeCensus } from './metrics/census.ts';
import { GatewayMetrics } from './metrics/gateway-metrics.ts';
import { WaitingLine } from './sessions/waiting-line.ts';
import { openDatabase } from './store/database.ts';

export interface RunningGateway {
  gateway: Gateway;
  leases: Leases;
  url: string;
  /** Where hosts of other machines call; undefined without a cluster's secret. */
  privateUrl: string | undefined;
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
  hosts: readonly RunningHost[],
  now: () => number = Date.now,
  { registry, tracer }: Observation = unobserved(),
): Promise<RunningGateway> {
  await using undo = new AsyncDisposableStack();
  const proxyGuard = createAddressGuard(config.proxyAllow, 'TURNPIKE_PROXY_ALLOW');
  const webhookGuard = createAddressGuard(config.webhookAllow, 'TURNPIKE_WEBHOOK_ALLOW', { ports: true });
  const metrics = new GatewayMetrics(registry);
  const db = await openDatabase(config.store, logger, metrics.store.log);
  undo.defer(() => db.destroy());
  const client = config.cluster && new PrivateClient(config.cluster);
  undo.defer(() => client?.close());
  const gateway: Gateway = {
    db,
    hosts: new HostDirectory({ db, client, now }),
    proxyGuard,
    webhookGuard,
    products: config.products,
    sealer: new Sealer(config.secretKey, config.oldSecretKeys),
    line: undo.use(new WaitingLine(db, logger, now)),
    logger,
    metrics,
    tracer,
    createTimeoutMs: config.createTimeoutMs,
    profileMaxBytes: config.profileMaxBytes,
    isDraining: false,
    publicUrl: config.publicUrl,
    proxyUrl: config.proxyUrl,
    now,
  };
  takeCensus(registry, gateway);
  const leases = new Leases(gateway);
  undo.defer(() => leases.stop());
  for (const host of hosts) await leases.join(host);
  leases.start();
  const webhooks = undo.use(new WebhookDeliveries(gateway));
  const streams = undo.use(new EventStreams(gateway));
  const app = buildApp(gateway, streams, config);
  await app.listen({ host: config.bind, port: config.port });
  const { port } = app.server.address() as AddressInfo;
  undo.defer(() => app.close());
  const privateSide = config.cluster && createPrivateSide(gateway, config.cluster);
  await privateSide?.listen(config.cluster?.port ?? 0, config.cluster?.bind ?? '');
  undo.move();

  return {
    gateway,
    leases,
    url: urlOf('http', config.bind, port),
    privateUrl:
      config.cluster &&
      urlOf(config.cluster.tls ? 'https' : 'http', config.cluster.bind, privateSide?.port ?? 0),
    async drain() {
      gateway.isDraining = true;
      await delay(config.drainDelayMs);
      gateway.hosts.closeLocal();
      // A connection whose answer was in flight is idle once it has it; nobody else would close it then.
      const sweep = setInterval(() => app.server.closeIdleConnections(), 50);
      const cut = setTimeout(() => app.server.closeAllConnections(), config.createTimeoutMs + drainGraceMs);
      await app.close();
      clearInterval(sweep);
      clearTimeout(cut);
    },
    async stop() {
      await privateSide?.close();
      await leases.stop();
      await gateway.line[Symbol.asyncDispose]();
      await streams[Symbol.asyncDispose]();
      await webhooks[Symbol.asyncDispose]();
      client?.close();
      await db.destroy();
    },
  };
}

function urlOf(scheme: string, bind: string, port: number): string {
  return `${scheme}://${bind.includes(':') ? `[${bind}]` : bind}:${port}`;
}
