import { ClusterProxyResolver } from '@turnpike/cluster/proxy-calls';
import { ClusterRecordingSink } from '@turnpike/cluster/recording-calls';
import { startHost } from '@turnpike/host/app';
import { readHostClusterConfig } from '@turnpike/host/cluster-config';
import { readHostConfig } from '@turnpike/host/config';
import { joinCluster } from '@turnpike/host/join-cluster';
import { containEscapedErrors } from '@turnpike/process/escaped-errors';
import { startObservation } from '@turnpike/process/observation';
import type { Environment } from '@turnpike/process/settings';
import { refuseMisspeltSettings } from '@turnpike/process/settings/unknown-settings';
import { Watchdog } from '@turnpike/process/work/watchdog';
import { signalled } from '../terminal/signals.ts';
import { StatusLine } from '../terminal/status-line.ts';
import { firstBrowserProblem, onBrowserStart } from './first-browser.ts';
import { noBrowserLines } from './greeting.ts';
import type { RunFlags } from './run-flags.ts';
import { serviceLogger } from './service-logger.ts';
import { StoppingReport, sessionsToClose } from './show-stopping.ts';

/** Runs a host alone, for the gateways that the settings name, until SIGTERM or SIGINT. */
export async function runHost(env: Environment, flags: RunFlags = {}): Promise<void> {
  refuseMisspeltSettings(env);
  const config = readHostConfig(env);
  const cluster = readHostClusterConfig(env);
  using status = new StatusLine();
  const logger = serviceLogger(env, status, flags);
  const stopRequested = signalled();
  await using undo = new AsyncDisposableStack();
  const stopping = undo.use(new StoppingReport(status));
  const observation = undo.use(await startObservation(env));
  const watcher = undo.use(new Watchdog(logger, observation.registry));
  const recordingSink = undo.use(new ClusterRecordingSink(cluster));
  const { resolveProxy } = undo.use(new ClusterProxyResolver(cluster));
  const host = await startHost(config, logger, { observation, recordingSink, resolveProxy, watcher });
  undo.defer(() => host.shutdown());
  const joined = await joinCluster(host, cluster, logger);
  undo.defer(async () => {
    await host.shutdown();
    await joined.leave();
  });
  undo.use(containEscapedErrors(logger, observation.registry));
  const stopped = Promise.race([stopRequested, joined.removed]);
  const stop = new AbortController();
  void stopped.then(() => stop.abort());
  const problem = await firstBrowserProblem(host, status, stopped);
  const isUp = `The host ${host.name} is up: browsers at ${host.publicUrl}, gateways call ${joined.privateUrl}`;
  if (problem !== undefined) {
    console.log(noBrowserLines(`The host ${host.name} runs`, problem, 'npx turnpike doctor host').join('\n'));
    logger.error({ reason: problem }, 'no browser can be opened; `turnpike doctor host` says what to do');
    void onBrowserStart(host, stop.signal, () => console.log(isUp));
  } else if (!stop.signal.aborted) console.log(isUp);
  if (observation.metricsUrl) console.log(`Its metrics: ${observation.metricsUrl}`);

  const reason = await stopped;
  if (reason === 'superseded' || reason === 'removed') {
    process.exitCode = 1;
    await host.shutdown('host_lost');
  } else {
    stopping.start([sessionsToClose(() => host.seats().used)]);
    logger.info({ signal: reason, drainSeconds: cluster.drainMs / 1000 }, 'shutting down');
    await joined.retire();
  }
}
