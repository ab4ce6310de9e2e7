import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import type { HostReason, RunningHost } from '@turnpike/contract/host';
import type { ResolveProxy } from '@turnpike/contract/host/resolve-proxy';
import type { RecordingSink } from '@turnpike/contract/recording';
import { maxDestinations } from '@turnpike/contract/traffic';
import { type Observation, unobserved } from '@turnpike/process/observation';
import { type ThreadWatcher, unwatched } from '@turnpike/process/work/watchdog';
import type { Logger } from 'pino';
import { installedVersion } from './chromium/installed-version.ts';
import type { HostConfig } from './config.ts';
import { FontArchives } from './fonts/font-archive.ts';
import { IdleMemory } from './memory/idle-memory.ts';
import { HostMetrics } from './metrics/host-metrics.ts';
import { PageCalls } from './page/page-calls.ts';
import { PageThread } from './page/page-thread.ts';
import { prepareBrowser } from './pool/prepared-browser.ts';
import { UserIds } from './pool/user-ids.ts';
import { WarmPool } from './pool/warm-pool.ts';
import { usualStart } from './profile/plan-start.ts';
import { createPublicServer, type PublicServerOptions } from './public/public-server.ts';
import { CdpConnections } from './relay/cdp-connections.ts';
import { KeepAlive } from './relay/keep-alive.ts';
import { Reclaimer } from './sandbox/control-groups/reclaimer.ts';
import { Sandboxes } from './sandbox/sandboxes.ts';
import { FilterLists } from './saving/filter-lists.ts';
import { Sessions } from './session/sessions.ts';
import { WakeQueue } from './standby/wake-queue.ts';
import { createSwitchboard, type SwitchboardCreation } from './switchboard/create-switchboard.ts';
import type { Switchboard } from './switchboard/switchboard.ts';

export interface Host extends RunningHost {
  /** Resolves when the pool has as many warm browsers as it should have. */
  warmed(): Promise<void>;
  /** Resolves when a browser has started; rejects with the reason if the next start fails. */
  probe(): Promise<void>;
  /** Ends every browser, then closes the public server. */
  shutdown(reason?: HostReason): Promise<void>;
}

export interface HostOptions {
  observation?: Observation;
  /** Origins whose pages may frame the live view, where they are known only later; default: the configured ones. */
  viewerAncestors?(): readonly string[];
  /** Creates what carries DevTools messages; tests name a certain one. */
  newSwitchboard?: typeof createSwitchboard | undefined;
  /** Takes the parts of recordings. Undefined if nothing is recorded. */
  recordingSink?: RecordingSink | undefined;
  /** Looks up proxies that clients name for contexts. Undefined if no gateway answers. */
  resolveProxy?: ResolveProxy | undefined;
  /** Ends sessions that hold a thread. */
  watcher?: ThreadWatcher;
}

/** Removes what a crashed host left, starts the public server and begins to fill the warm pool. */
export async function startHost(
  config: HostConfig,
  logger: Logger,
  {
    observation = unobserved(),
    viewerAncestors = () => config.viewerAncestors,
    newSwitchboard = createSwitchboard,
    recordingSink,
    resolveProxy,
    watcher = unwatched,
  }: HostOptions = {},
): Promise<Host> {
  const { registry, tracer } = observation;
  await using undo = new AsyncDisposableStack();
  const metrics = new HostMetrics(registry);
  const switchboard = newSwitchboard(switchboardEvents(metrics, logger), watcher);
  undo.defer(() => switchboard.close());
  const sandboxes = new Sandboxes(config, logger);
  await sandboxes.prepare();
  undo.defer(() => sandboxes.close());
  const pool = createPool(config, { sandboxes, switchboard }, metrics, logger);
  const filterLists = new FilterLists(config.blockLists);
  const keepAlive = new KeepAlive();
  const cdpConnections = new CdpConnections(keepAlive, metrics);
  const socketPath = newSocketPath();
  const pageThread = undo.use(new PageThread({ socketPath, blockLists: config.blockLists, logger }));
  const pageCalls = new PageCalls(pageThread);
  const own = {
    pool,
    filterLists,
    recordingSink,
    resolveProxy,
    cdpConnections,
    pageCalls,
    wakes: new WakeQueue(),
    reclaimer: new Reclaimer(),
    metrics,
    tracer,
    logger,
  };
  const sessions = new Sessions({ ...config, ...own });
  const serving: PublicServerOptions = {
    ...config,
    keepAlive,
    cdpConnections,
    viewerAncestors,
    find: (cdpId) => sessions.findByCdpId(cdpId),
    findViewer: (token) => sessions.findViewer(token),
    publicUrl: () => publicUrl,
    metrics,
    logger,
  };
  const server = createPublicServer(serving);
  server.listen(config.port, config.bind);
  await once(server, 'listening');
  const pageServer = createPublicServer({ ...serving, tls: undefined });
  pageServer.listen({ path: socketPath });
  await once(pageServer, 'listening');
  undo.defer(() => closeServer(pageServer));
  const { port } = server.address() as AddressInfo;
  const name = config.name ?? `${os.hostname()}:${port}`;
  const publicUrl =
    config.publicUrl ?? `${config.tls ? 'wss' : 'ws'}://${reachableHost(config.bind)}:${port}`;
  const idleMemory = new IdleMemory();
  pool.open();
  idleMemory.start();
  const running = undo.move();
  const snapshot = () => {
    if (!server.listening) return undefined;
    const pooled = { warm: pool.counts(), starts: pool.starts() };
    return { name, seats: config.seats, ...pooled, ...sessions.snapshot() };
  };
  metrics.watch(snapshot, config.warm);
  metrics.watchWork(snapshot);
  return {
    name,
    publicUrl,
    region: config.region,
    get chromiumVersion() {
      return installedVersion(config.chromium) ?? '';
    },
    seats: () => sessions.seats,
    open: (request, signal) => sessions.open(request, signal),
    close: (sessionId, reason) => sessions.close(sessionId, reason),
    save: (sessionId) => sessions.save(sessionId),
    takeSnapshot: (sessionId, maxBytes) => sessions.takeSnapshot(sessionId, maxBytes),
    list: () => sessions.list(),
    readTraffic: (sessionId, count) => sessions.readTraffic(sessionId, count),
    changeProxy: (sessionId, proxy, signal) => sessions.changeProxy(sessionId, proxy, signal),
    wake: (sessionId) => sessions.wake(sessionId),
    clients: async (sessionId) => sessions.readClients(sessionId),
    pauseClients: (sessionId, holder) => sessions.pauseClients(sessionId, holder),
    renewPause: async (sessionId, holderId) => sessions.renewPause(sessionId, holderId),
    resumeClients: async (sessionId, holderId) => sessions.resumeClients(sessionId, holderId),
    callDriver: async (sessionId, call, signal) => sessions.callDriver(sessionId, call, publicUrl, signal),
    callPage: (sessionId, call, signal) => sessions.callPage(sessionId, call, signal),
    runScript: async (sessionId, call, signal) => sessions.runScript(sessionId, call, signal),
    traffic: async (sessionId) => sessions.readTraffic(sessionId, maxDestinations),
    onEnded: (listener) => sessions.onEnded(listener),
    warmed: () => pool.warmed(),
    probe: () => pool.probe(),
    async shutdown(reason = 'host_stopped') {
      idleMemory.stop();
      await Promise.all([sessions.shutdown(reason), pool.close()]);
      await running.disposeAsync();
      if (server.listening) await closeServer(server);
    },
  };
}

async function closeServer(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

/**
 * Where the page thread connects to: a name of Linux's own for sockets, which leaves no file. Whoever connects there has
 * to know a session's CDP id, as on the public port.
 */
function newSocketPath(): string {
  return `\0turnpike-page-${randomBytes(16).toString('hex')}`;
}

/** Logs and counts what goes wrong with DevTools messages. */
function switchboardEvents(metrics: HostMetrics, logger: Logger): SwitchboardCreation {
  return {
    onError(error) {
      metrics.fault('session');
      logger.error({ error }, 'an error ended a DevTools connection');
    },
    onThreadDied(error) {
      metrics.fault('thread');
      logger.error(
        { error },
        'the thread for DevTools messages died, and its sessions with it; the next session gets a new thread',
      );
    },
    onFallback(error) {
      logger.warn(
        { err: error },
        'koffi cannot be loaded, so DevTools messages go through Node streams, which is slower',
      );
    },
  };
}

function createPool(
  config: HostConfig,
  parts: { sandboxes: Sandboxes; switchboard: Switchboard },
  metrics: HostMetrics,
  logger: Logger,
): WarmPool {
  const userIds = new UserIds(process.getuid?.() === 0 ? config.uidBase : undefined);
  const fonts = config.sandbox === 'on' ? new FontArchives(config.chromium, logger) : undefined;
  return new WarmPool(
    {
      wanted: config.warm,
      places: config.seats,
      maxAgeMs: config.warmMaxAgeMs,
      startsAtOnce: config.startsAtOnce,
      usual: (shape) => usualStart(shape === 'headless', installedVersion(config.chromium) ?? ''),
      start: (start, signal, own) =>
        prepareBrowser(start, { ...config, ...parts, fonts, userIds, ...own }, signal),
      metrics,
    },
    logger,
  );
}

/** A wildcard address means all of the machine's addresses and cannot be connected to. */
function reachableHost(bind: string): string {
  if (bind === '0.0.0.0' || bind === '::') return os.hostname();
  return bind.includes(':') ? `[${bind}]` : bind;
}
