import { startGateway } from '@turnpike/gateway';
import { dataDirectory, readGatewayConfig } from '@turnpike/gateway/config';
import { containEscapedErrors } from '@turnpike/process/escaped-errors';
import { startObservation } from '@turnpike/process/observation';
import { buildVersion } from '@turnpike/process/observation/service-version';
import { type Environment, SettingError } from '@turnpike/process/settings';
import { refuseMisspeltSettings } from '@turnpike/process/settings/unknown-settings';
import { Watchdog } from '@turnpike/process/work/watchdog';
import { signalled } from '../terminal/signals.ts';
import { StatusLine } from '../terminal/status-line.ts';
import { lockDataDirectory } from './data-directory-lock.ts';
import type { RunFlags } from './run-flags.ts';
import { serviceLogger } from './service-logger.ts';
import { requestsToAnswer, StoppingReport } from './show-stopping.ts';

/** Runs a gateway alone, for hosts that join it, until SIGTERM or SIGINT; browsers go on. */
export async function runGateway(env: Environment, flags: RunFlags = {}): Promise<void> {
  refuseMisspeltSettings(env);
  const config = readGatewayConfig(env);
  if (!config.cluster) {
    throw new SettingError(
      'TURNPIKE_CLUSTER_SECRET',
      'must be set: a gateway without it has no hosts; create one with `openssl rand -hex 32`',
    );
  }
  if (config.store.engine === 'postgres' && !env['TURNPIKE_SECRET_KEY']) {
    throw new SettingError(
      'TURNPIKE_SECRET_KEY',
      'must be set: gateways on one PostgreSQL must all have the same; create one with `openssl rand -hex 32`',
    );
  }
  // A SQLite file has one gateway; on PostgreSQL there are any number.
  const isAlone = config.store.engine === 'sqlite';
  using _lock = isAlone ? lockDataDirectory(dataDirectory(env)) : undefined;
  using status = new StatusLine();
  const logger = serviceLogger(env, status, flags);
  const stopRequested = signalled();
  await using undo = new AsyncDisposableStack();
  const stopping = undo.use(new StoppingReport(status));
  const observation = undo.use(await startObservation(env));
  undo.use(new Watchdog(logger, observation.registry));
  const gateway = await startGateway({ ...config, isAlone }, logger, { observation });
  undo.defer(() => gateway.stop());
  undo.defer(() => gateway.drain());
  undo.use(containEscapedErrors(logger, observation.registry));
  console.log(`The gateway is up: ${gateway.url} (hosts call ${gateway.privateUrl})`);
  logger.info({ version: buildVersion() }, 'the gateway is up');
  if (observation.metricsUrl) console.log(`Its metrics: ${observation.metricsUrl}`);
  logger.info({ signal: await stopRequested }, 'shutting down: answering what is in flight');
  stopping.start([requestsToAnswer(gateway.requests)]);
}
