import { openDatabase, startStoreClock, storeMeterBackend } from '@turnpike/gateway';
import { readGatewayConfig } from '@turnpike/gateway/config';
import { containEscapedErrors } from '@turnpike/process/escaped-errors';
import { startObservation } from '@turnpike/process/observation';
import type { Environment } from '@turnpike/process/settings';
import { refuseMisspeltSettings } from '@turnpike/process/settings/unknown-settings';
import { Watchdog } from '@turnpike/process/work/watchdog';
import { startProxy } from '@turnpike/proxy/app';
import { readProxyConfig } from '@turnpike/proxy/config';
import { signalled } from '../terminal/signals.ts';
import { StatusLine } from '../terminal/status-line.ts';
import type { RunFlags } from './run-flags.ts';
import { serviceLogger } from './service-logger.ts';

/** The metered proxy alone, on the store that the settings name. Runs until SIGTERM or SIGINT. */
export async function runProxy(env: Environment, flags: RunFlags = {}): Promise<void> {
  refuseMisspeltSettings(env);
  const { store } = readGatewayConfig(env);
  const config = readProxyConfig(env);
  using status = new StatusLine();
  const logger = serviceLogger(env, status, flags);
  const stopRequested = signalled();
  await using undo = new AsyncDisposableStack();
  const observation = undo.use(await startObservation(env));
  undo.use(new Watchdog(logger, observation.registry));
  const db = await openDatabase(store, logger);
  undo.defer(() => db.destroy());
  const clock = undo.use(await startStoreClock(db, logger));
  const proxy = await startProxy(
    config,
    storeMeterBackend(db, { now: clock.now, logger }),
    logger,
    observation,
  );
  undo.defer(() => proxy.stop());
  undo.use(containEscapedErrors(logger, observation.registry));
  console.log(`The metered proxy is up: ${proxy.url} (HTTP and SOCKS5)`);
  if (observation.metricsUrl) console.log(`Its metrics: ${observation.metricsUrl}`);
  logger.info({ signal: await stopRequested }, 'shutting down: reporting the last bytes');
}
