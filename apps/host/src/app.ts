import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import type {
  EndedBrowser,
  HostReason,
  OpenedBrowser,
  OpenRequest,
  RunningBrowser,
  RunningHost,
} from '@turnpike/contract/host';
import { type Observation, unobserved } from '@turnpike/process/observation';
import type { Logger } from 'pino';
import { installedVersion } from './chromium/installed-version.ts';
import type { HostConfig } from './config.ts';
import { HostMetrics } from './host-metrics.ts';
import { IdleMemory } from './idle-memory.ts';
import { prepareBrowser } from './pool/prepared-browser.ts';
import { UserIds } from './pool/user-ids.ts';
import { WarmPool } from './pool/warm-pool.ts';
import { usualStart } from './profile/browser-start.ts';
import { createPublicServer } from './relay/public-server.ts';
import { Sandboxes } from './sandbox/sandboxes.ts';
import { Sessions } from './session/sessions.ts';
import { createSwitchboard, type SwitchboardCreation } from './switchboard/create-switchboard.ts';
import type { Switchboard } from './switchboard/switchboard.ts';

export interface Host extends RunningHost {
  /**
   * Clears what a dead host left, opens the public side and begins to warm browsers. `publicUrl` and `name` are
   * known from then on.
   */
  listen(): Promise<void>;
  /** Resolves when as many browsers are warm as there are to be. */
  warmed(): Promise<void>;
  /** Ends every browser, then closes the public side. */
  shutdown(reason?: HostReason): Promise<void>;
}

/** `newSwitchboard` is for tests of a certain one. */
export function createHost(
  config: HostConfig,
  logger: Logger,
  { registry, tracer }: Observation = unobserved(),
  newSwitchboard = createSwitchboard,
): Host {
  const metrics = new HostMetrics(registry);
  const switchboard = newSwitchboard(switchboardEvents(metrics, logger));
  const sandboxes = new Sandboxes(config, logger);
  const idleMemory = new IdleMemory();
  const pool = createPool(config, { sandboxes, switchboard }, metrics, logger);
  const sessions = new Sessions({ ...config, pool, metrics, tracer, logger });
  const server = createPublicServer({
    ...config,
    find: (cdpId) => sessions.findByCdpId(cdpId),
    findViewer: (token) => sessions.findViewer(token),
    publicUrl: () => host.publicUrl,
    ...{ metrics, logger },
  });
  // Kept past the end of listening: the last word of a host still says whose it is.
  let listensOn: number | undefined;
  const port = () => {
    if (listensOn === undefined) throw new Error('The host does not listen');
    return listensOn;
  };
  const host: Host = {
    get name() {
      return config.name ?? `${os.hostname()}:${port()}`;
    },
    get publicUrl() {
      return config.publicUrl ?? `${config.tls ? 'wss' : 'ws'}://${reachableHost(config.bind)}:${port()}`;
    },
    region: config.region,
    get chromiumVersion() {
      return installedVersion(config.chromium) ?? '';
    },
    seats: () => sessions.seats,
    open: (request: OpenRequest, signal: AbortSignal): Promise<OpenedBrowser> =>
      sessions.open(request, signal),
    close: (sessionId: string, reason?: HostReason): Promise<EndedBrowser | undefined> =>
      sessions.close(sessionId, reason),
    save: (sessionId: string) => sessions.save(sessionId),
    list: (): RunningBrowser[] => sessions.list(),
    onEnded: (listener: (ended: EndedBrowser) => void) => sessions.onEnded(listener),
    async listen() {
      await sandboxes.prepare();
      server.listen(config.port, config.bind);
      await once(server, 'listening');
      listensOn = (server.address() as AddressInfo).port;
      pool.open();
      idleMemory.start();
    },
    warmed: () => pool.warmed(),
    async shutdown(reason = 'host_stopped') {
      idleMemory.stop();
      await Promise.all([sessions.shutdown(reason), pool.close()]);
      await sandboxes.close();
      await switchboard.close();
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  metrics.watch(() => {
    if (!server.listening) return undefined;
    return {
      name: host.name,
      seats: config.seats,
      warm: pool.counts(),
      starts: pool.starts(),
      ...sessions.census(),
    };
  }, config.warm);
  return host;
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
  return new WarmPool(
    {
      wanted: config.warm,
      places: config.seats,
      maxAgeMs: config.warmMaxAgeMs,
      startsAtOnce: config.startsAtOnce,
      usual: (shape) => usualStart(shape === 'headless', installedVersion(config.chromium) ?? ''),
      start: (start, signal, archive) =>
        prepareBrowser(start, { ...config, ...parts, userIds, archive }, signal),
      metrics,
    },
    logger,
  );
}

/** An address that means "all of them" is not one to connect to. */
function reachableHost(bind: string): string {
  if (bind === '0.0.0.0' || bind === '::') return os.hostname();
  return bind.includes(':') ? `[${bind}]` : bind;
}
