import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { PrivateClient } from '@turnpike/cluster/private-client';
import type { RunningHost } from '@turnpike/contract/host';
import type { ResolveProxy } from '@turnpike/contract/host/resolve-proxy';
import type { RecordingSink } from '@turnpike/contract/recording';
import { type Observation, unobserved } from '@turnpike/process/observation';
import { createAddressGuard } from '@turnpike/tunnel/addresses/address-guard';
import type { Logger } from 'pino';
import { writeUsageAlert } from './alerts/alert-mail.ts';
import { startAlertChecks } from './alerts/check-alerts.ts';
import { buildApp } from './app.ts';
import { addBytes } from './bandwidth/bandwidth-store.ts';
import type { GatewayConfig, MailConfig } from './config.ts';
import type { CrawlLimits } from './crawl/crawl-context.ts';
import { CrawlWorkers } from './crawl/crawl-workers.ts';
import type { CreateContext } from './creates/create-context.ts';
import { createReaper, releaseUnfinishedCreates } from './creates/create-reaper.ts';
import { keyLifetimeMs } from './creates/idempotency.ts';
import { WaitQueue } from './creates/wait-queue.ts';
import { WebhookDeliveries } from './events/deliver-webhooks.ts';
import { EventStreams } from './events/event-stream.ts';
import { recordSessionFact } from './events/session-events.ts';
import { sessionExtensions } from './extensions/session-extensions.ts';
import type { Gateway } from './gateway.ts';
import { HostDirectory } from './hosts/host-directory.ts';
import { Leases } from './hosts/leases.ts';
import { placeBrowser } from './hosts/place-browser.ts';
import { createPrivateSide } from './hosts/private-side.ts';
import { ReadSlots } from './http/answers/read-slots.ts';
import { HttpDrain } from './http/http-drain.ts';
import { meteredAs } from './ledger/metering.ts';
import { MailDeliveries } from './mail/deliver-mails.ts';
import { Mailer } from './mail/mailer.ts';
import { CreateFailures } from './metrics/create-failures.ts';
import { GatewayMetrics } from './metrics/gateway-metrics.ts';
import { registerStoreGauges } from './metrics/store-gauges.ts';
import { prunePageAnswers } from './page/page-answer-store.ts';
import { createPageSlots } from './page/page-context.ts';
import { ProxyChecks } from './proxies/proxy-checks.ts';
import type { ProxyContext } from './proxies/proxy-context.ts';
import { proxyResolver, sessionProxies } from './proxies/resolve-proxy.ts';
import { recordingSink } from './recordings/append-chunk.ts';
import { followSession } from './recordings/follow-session.ts';
import type { RecordingLimits } from './recordings/recording-context.ts';
import { openRecordingStorage } from './recordings/storage/open-storage.ts';
import { startSweeps } from './recordings/sweep-recordings.ts';
import { sessionProfiles } from './saved-profiles/session-profile.ts';
import type { Context } from './seams/context.ts';
import type { Outbox } from './seams/outbox.ts';
import { Sealer } from './secrets/sealer.ts';
import { sessionReaper } from './sessions/session-reaper.ts';
import { sessionSnapshots } from './snapshots/session-snapshots.ts';
import { pruneSnapshots } from './snapshots/snapshot-store.ts';
import { startStoreClock } from './store/clock/store-clock.ts';
import { openDatabase } from './store/database.ts';
import { writePasswordReset } from './users/password-reset.ts';

export interface RunningGateway {
  gateway: Gateway;
  leases: Leases;
  url: string;
  /** The URL that hosts on other machines call; undefined without a cluster's secret. */
  privateUrl: string | undefined;
  /** Takes the recordings of this process's hosts. */
  recordingSink: RecordingSink;
  /** Looks up the proxies that clients of this process's hosts name for contexts. */
  resolveProxy: ResolveProxy;
  /** Returns how many requests are being answered. */
  requests(): number;
  /**
   * Tells load balancers to look elsewhere. After the drain delay it gives up creates that would end with this process,
   * answers every request that has reached it, and stops listening. Browsers go on.
   */
  drain(): Promise<void>;
  /** Stores the last reports of this process's hosts, which must be down, and closes the store. */
  stop(): Promise<void>;
}

/** How much longer than a create answers may take before their connections are cut. */
const drainGraceMs = 5000;

export interface GatewayOptions {
  /** The hosts that run in this process. */
  hosts?: readonly RunningHost[];
  /** Replaces the store's clock. */
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
  const location = config.recordings?.location;
  const recordingStorage = location && (await openRecordingStorage(location));
  undo.defer(() => recordingStorage?.close());
  const stop = { waiting: new AbortController(), creating: new AbortController() };
  const context = { db, logger, metrics, now: now ?? clock.now };
  const gateway = createGateway(context, config, {
    hosts: new HostDirectory({ db, client }),
    queue: undo.use(new WaitQueue(db, logger, context.now)),
    failures: undo.use(new CreateFailures(context)),
    stopping: { waiting: stop.waiting.signal, creating: stop.creating.signal },
    proxyGuard,
    webhookGuard,
    tracer,
    proxyUrl: () => config.proxyUrl ?? proxyUrl?.(),
    recordingStorage,
  });
  registerStoreGauges(registry, context);
  if (config.isAlone) await releaseUnfinishedCreates(context);
  const leases = new Leases(gateway);
  undo.defer(() => leases.stop());
  clock.onJump(() => leases.clockJumped());
  for (const host of hosts) await leases.join(host);
  leases.start();
  undo.use(new WebhookDeliveries(gateway));
  undo.use(new ProxyChecks(gateway));
  if (config.mail) {
    undo.use(mailDeliveries(context, config.mail));
    undo.use(startAlertChecks(context));
  }
  if (recordingStorage) undo.use(startSweeps({ ...gateway, recordingStorage }));
  const crawls = undo.use(new CrawlWorkers(gateway));
  gateway.crawlsChanged = () => crawls.wake();
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
    recordingSink: gateway.recordingSink,
    resolveProxy: gateway.resolveProxy,
    requests: () => connections.requests,
    async drain() {
      gateway.isDraining = true;
      await delay(config.drainDelayMs);
      await crawls[Symbol.asyncDispose]();
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

/** Where recordings are not set up. */
const noRecordings: RecordingLimits = { sessionMaxBytes: 0, accountMaxBytes: 0, keepMs: 0 };

/** Where a test's configuration says nothing. */
const defaultCrawlLimits: CrawlLimits = {
  sessions: 8,
  accountSessions: 8,
  crawlMaxBytes: 2 ** 28,
  accountMaxBytes: 2 ** 30,
  keepMs: 7 * 86_400_000,
};

/** Wires the features together: what one needs of another it gets as a function here. */
function createGateway(
  context: Context,
  config: GatewayConfig,
  parts: Pick<
    Gateway,
    | 'hosts'
    | 'queue'
    | 'failures'
    | 'stopping'
    | 'proxyGuard'
    | 'webhookGuard'
    | 'tracer'
    | 'proxyUrl'
    | 'recordingStorage'
  >,
): Gateway {
  const { hosts, recordingStorage } = parts;
  const { createTimeoutMs, profileMaxBytes, cacheMaxBytes, snapshotMaxBytes } = config;
  const { allowedExtensions, products, publicUrl } = config;
  const sealer = new Sealer(config.secretKey, config.oldSecretKeys);
  const recordingLimits = config.recordings ?? noRecordings;
  const outbox: Outbox = async (trx, fact) => {
    await recordSessionFact(trx, fact);
    await followSession(trx, fact, recordingLimits.keepMs);
  };
  const proxies: ProxyContext = {
    ...{ ...context, sealer, outbox, proxyGuard: parts.proxyGuard, probeUrl: config.probeUrl },
    meteredAs: (proxy) => meteredAs(products, proxy),
  };
  const recordings = { ...context, sealer, outbox, recordingLimits, recordingStorage };
  const creates: CreateContext = {
    ...context,
    ...parts,
    placeBrowser: (request, signal) => placeBrowser({ ...context, hosts }, request, signal),
    findHost: (name, boot) => hosts.find(name, boot),
    outbox,
    canRecord: recordingStorage !== undefined,
    countBytes: addBytes,
    proxies: sessionProxies(proxies),
    profiles: sessionProfiles({ ...context, sealer, profileMaxBytes, cacheMaxBytes }),
    snapshots: sessionSnapshots({ ...context, sealer }),
    extensions: sessionExtensions({ ...context, sealer, allowedExtensions }),
    products,
    createTimeoutMs,
    standbyPermille: config.standbyPermille ?? 1000,
    abandonments: new Map(),
  };
  const ofCreates = createReaper(creates);
  return {
    ...creates,
    ...parts,
    ...proxies,
    ...recordings,
    recordingSink: recordingSink(recordings),
    resolveProxy: proxyResolver(proxies),
    reports: {
      ...sessionReaper(creates),
      ...ofCreates,
      async cleanUpCreates(now) {
        await ofCreates.cleanUpCreates(now);
        await pruneSnapshots(context.db, now);
        await prunePageAnswers(context.db, now - keyLifetimeMs);
      },
    },
    pageSlots: createPageSlots(),
    pageCalls: config.pageCalls,
    profileMaxBytes,
    cacheMaxBytes,
    snapshotMaxBytes,
    allowedExtensions,
    isDraining: false,
    reads: new ReadSlots(),
    publicUrl,
    sendsMail: config.mail !== undefined,
    crawlLimits: config.crawls ?? defaultCrawlLimits,
    crawlsChanged: () => {},
  };
}

function mailDeliveries(context: Context, { publicUrl, ...settings }: MailConfig): MailDeliveries {
  return new MailDeliveries(context, new Mailer(settings), {
    'password-reset': (mail) => writePasswordReset(context, mail, publicUrl),
    'usage-alert': async (mail) => writeUsageAlert(mail, publicUrl),
  });
}

function urlOf(scheme: string, bind: string, port: number): string {
  return `${scheme}://${bind.includes(':') ? `[${bind}]` : bind}:${port}`;
}
