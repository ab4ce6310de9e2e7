import { startHost } from '@turnpike/host/app';
import { readHostClusterConfig } from '@turnpike/host/cluster-config';
import { readHostConfig } from '@turnpike/host/config';
import { joinCluster } from '@turnpike/host/join-cluster';
import { containEscapedErrors } from '@turnpike/process/escaped-errors';
import { createLogger, logLevels } from '@turnpike/process/logger';
import { startObservation } from '@turnpike/process/observation';
import { choiceSetting, type Environment } from '@turnpike/process/settings';
import { browsersToClose, StoppingReport } from './show-stopping.ts';
import { signalled } from './signals.ts';

/** Runs a host alone, for the gateways that the settings name, until SIGTERM or SIGINT. */
export async function runHost(env: Environment): Promise<void> {
  const config = readHostConfig(env);
  const cluster = readHostClusterConfig(env);
  const logger = createLogger(choiceSetting(env, 'TURNPIKE_LOG_LEVEL', logLevels, 'info'));
  const stopRequested = signalled();
  await using undo = new AsyncDisposableStack();
  const stopping = undo.use(new StoppingReport());
  const observation = undo.use(await startObservation(env));
  const host = await startHost(config, logger, { observation });
  undo.defer(() => host.shutdown());
  const joined = await joinCluster(host, cluster, logger);
  undo.defer(async () => {
    await host.shutdown();
    await joined.leave();
  });
  undo.use(containEscapedErrors(logger, observation.registry));
  console.log(
    `The host ${host.name} is up: browsers at ${host.publicUrl}, gateways call ${joined.privateUrl}`,
  );
  if (observation.metricsUrl) console.log(`Its metrics: ${observation.metricsUrl}`);

  const reason = await Promise.race([stopRequested, joined.removed]);
  if (reason === 'superseded' || reason === 'removed') {
    process.exitCode = 1;
    await host.shutdown('host_lost');
  } else {
    stopping.start([browsersToClose(() => host.seats().used)]);
    logger.info({ signal: reason, drainSeconds: cluster.drainMs / 1000 }, 'shutting down');
    await joined.retire();
  }
}
