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
import { releaseStarting } from './hosts/host-store.ts';
import { Leases } from './hosts/leases.ts';
import { createPrivateSide } from './hosts/private-side.ts';
import { HttpDrain } from './http-drain.ts';
import { takeCensus } from './metrics/census.ts';
import { GatewayMetrics } from './metrics/gateway-metrics.ts';
import { WaitingLine } from './sessions/waiting-line.ts';
import { openDatabase } from './store/database.ts';
import { startStoreClock } from './store/store-clock.ts';

export interface RunningGateway {
  gateway: Gateway;
  leases: Leases;
  url: string;
  /** Where hosts of other machines call; undefined without a cluster's secret. */
  privateUrl: string | undefined;
  /** How many requests are being answered. */
  requests(): number;
  /**
   * Is no longer ready; after the drain delay gives up creates that would end with this process, answers whatever
   * has reached it, and stops listening. Browsers go on.
   */
  drain(): Promise<void>;
  /** After the hosts are down: stores what they still reported, and closes the store. */
  stop(): Promise<void>;
}

/** How long answers in flight may take, beyond the time of a create, before their connections are cut. */
const drainGraceMs = 5000;

export interface GatewayOptions {
  /** Those that live in this process. */
  hosts?: readonly RunningHost[];
  /** In place of the store's clock. */
  now?: (() => number) | undefined;
  observation?: Observation;
  /** The metered proxy of this process, once it is up. A configured URL comes first. */
  proxyUrl?(): string | undefined;
}

/** Wires a gateway together and starts it. */
export async function startGateway(
  config: GatewayConfig,
  logger: Logger,
  { hosts = [], now, observation: { registry, tracer } = unobserved(), proxyUrl }: GatewayOptions = {},
): Promise<RunningGateway> {
  await using undo = new AsyncDisposableStack();
  const proxyGuard = createAddressGuard(config.proxyAllow, 'TURNPIKE_PROXY_ALLOW');
  const webhookGuard = createAddressGuard(config.webhookAllow, 'TURNPIKE_WEBHOOK_ALLOW', { ports: true });
  const metrics = new GatewayMetrics(registry);
  const db = await openDatabase(config.store, logger, metrics.store.log);
  undo.defer(() => db.destroy());
  const clock = undo.use(await startStoreClock(db, logger));
  const client = config.cluster && new PrivateClient(config.cluster);
  undo.defer(() => client?.close());
  const stop = { waiting: new AbortController(), creating: new AbortController() };
  const gateway: Gateway = {
    db,
    hosts: new HostDirectory({ db, client }),
    proxyGuard,
    webhookGuard,
    products: config.products,
    sealer: new Sealer(config.secretKey, config.oldSecretKeys),
    line: undo.use(new WaitingLine(db, logger, now ?? clock.now)),
    logger,
    metrics,
    tracer,
    createTimeoutMs: config.createTimeoutMs,
    profileMaxBytes: config.profileMaxBytes,
    isDraining: false,
    stopping: { waiting: stop.waiting.signal, creating: stop.creating.signal },
    hangUps: new Map(),
    publicUrl: config.publicUrl,
    get proxyUrl() {
      return config.proxyUrl ?? proxyUrl?.();
    },
    now: now ?? clock.now,
  };
  takeCensus(registry, gateway);
  if (config.isAlone) await releaseLeftovers(gateway);
  const leases = new Leases(gateway);
  undo.defer(() => leases.stop());
  clock.onJump(() => leases.clockJumped());
  for (const host of hosts) await leases.join(host);
  leases.start();
  undo.use(new WebhookDeliveries(gateway));
  const streams = undo.use(new EventStreams(gateway));
  const app = buildApp(gateway, streams, config);
  const connections = new HttpDrain(app.server);
  await app.listen({ host: config.bind, port: config.port });
  const { port } = app.server.address() as AddressInfo;
  undo.defer(() => app.close());
  const privateSide = config.cluster && createPrivateSide(gateway, config.cluster);
  await privateSide?.listen(config.cluster?.port ?? 0, config.cluster?.bind ?? '');
  undo.defer(() => privateSide?.close());
  const running = undo.move();

  return {
    gateway,
    leases,
    url: urlOf('http', config.bind, port),
    privateUrl:
      config.cluster &&
      urlOf(config.cluster.tls ? 'https' : 'http', config.cluster.bind, privateSide?.port ?? 0),
    requests: () => connections.requests,
    async drain() {
      gateway.isDraining = true;
      await delay(config.drainDelayMs);
      gateway.hosts.closeLocal();
      stop.waiting.abort();
      if (hosts.length > 0) stop.creating.abort();
      await connections.readAll();
      using _sweep = connections.closeWhenIdle(config.createTimeoutMs + drainGraceMs);
      await app.close();
    },
    stop: () => running.disposeAsync(),
  };
}

/** A former run of the only gateway of this store cannot finish what it had under way. */
async function releaseLeftovers({ db, logger }: Gateway): Promise<void> {
  const creates = await releaseStarting(db);
  if (creates > 0)
    logger.warn({ creates }, 'gave back the slots of creates that an earlier run did not finish');
}

function urlOf(scheme: string, bind: string, port: number): string {
  return `${scheme}://${bind.includes(':') ? `[${bind}]` : bind}:${port}`;
}
