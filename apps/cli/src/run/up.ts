import { join } from 'node:path';
import { type RunningGateway, startGateway, storeMeterBackend } from '@turnpike/gateway';
import {
  type AccountSecrets,
  ApiError,
  createAccount,
  type Database,
  findAccountByEmail,
  findUserByEmail,
  inviteAccount,
  inviteOperator,
  listAccounts,
  listOperators,
  type Sealer,
} from '@turnpike/gateway/administration';
import { dataDirectory, readGatewayConfig, sealerFrom } from '@turnpike/gateway/config';
import { startHost } from '@turnpike/host/app';
import { readHostConfig } from '@turnpike/host/config';
import { containEscapedErrors } from '@turnpike/process/escaped-errors';
import { startObservation } from '@turnpike/process/observation';
import type { Environment } from '@turnpike/process/settings';
import { refuseMisspeltSettings } from '@turnpike/process/settings/unknown-settings';
import { Watchdog } from '@turnpike/process/work/watchdog';
import { type RunningProxy, startProxy } from '@turnpike/proxy/app';
import { readProxyConfig } from '@turnpike/proxy/config';
import { terminalWidth } from '../terminal/drawing.ts';
import { signalled } from '../terminal/signals.ts';
import { StatusLine } from '../terminal/status-line.ts';
import { lockDataDirectory } from './data-directory-lock.ts';
import { firstBrowserProblem, onBrowserStart } from './first-browser.ts';
import { plainGreeting, terminalGreeting } from './greeting.ts';
import type { RunFlags } from './run-flags.ts';
import { serviceLogger } from './service-logger.ts';
import { requestsToAnswer, StoppingReport, sessionsToClose } from './show-stopping.ts';

const demoEmail = 'demo@example.com';
const operatorEmail = 'operator@example.com';

/** The whole service in one process: gateway, one host and the metered proxy. Runs until SIGTERM or SIGINT. */
export async function up(env: Environment, flags: RunFlags = {}): Promise<void> {
  refuseMisspeltSettings(env);
  using _lock = lockDataDirectory(dataDirectory(env));
  const gatewayConfig = readGatewayConfig(env, join(dataDirectory(env), 'recordings'));
  const hostConfig = readHostConfig(env);
  const proxyConfig = readProxyConfig(env);
  using status = new StatusLine();
  const logger = serviceLogger(env, status, flags);
  const stopRequested = signalled();
  status.showProgress('Starting Turnpike');

  let gateway: RunningGateway | undefined;
  let proxy: RunningProxy | undefined;
  // Released last to first: no new creates, then the browsers, then the proxy they use, then the store.
  await using undo = new AsyncDisposableStack();
  const stopping = undo.use(new StoppingReport(status));
  const observation = undo.use(await startObservation(env));
  const watcher = undo.use(new Watchdog(logger, observation.registry));
  undo.defer(() => gateway?.stop());
  undo.defer(() => proxy?.stop());
  const host = await startHost(hostConfig, logger, {
    observation,
    watcher,
    recordingSink: {
      append: async (chunk, signal) => {
        if (!gateway) throw new Error('The gateway is not up yet.');
        return gateway.recordingSink.append(chunk, signal);
      },
    },
    resolveProxy: async (question, signal) => {
      if (!gateway) throw new Error('The gateway is not up yet.');
      return gateway.resolveProxy(question, signal);
    },
    // The dashboard shows live views.
    viewerAncestors: () => [...hostConfig.viewerAncestors, ...(gateway ? [new URL(gateway.url).origin] : [])],
  });
  undo.defer(() => host.shutdown());
  const proxyAllow = withLoopback(gatewayConfig.bind, gatewayConfig.proxyAllow);
  const isAlone = gatewayConfig.store.engine === 'sqlite';
  const running = await startGateway({ ...gatewayConfig, proxyAllow, isAlone }, logger, {
    hosts: [host],
    proxyUrl: () => proxy?.url,
    observation,
  });
  gateway = running;
  undo.defer(() => running.drain());
  const { db, now } = running.gateway;
  proxy = await startProxy(proxyConfig, storeMeterBackend(db, { now, logger }), logger, observation);
  undo.use(containEscapedErrors(logger, observation.registry));
  const stop = new AbortController();
  void stopRequested.then(() => stop.abort());
  const problem = await firstBrowserProblem(host, status, stopRequested);
  if (problem !== undefined) {
    logger.error({ reason: problem }, 'no browser can be opened; `turnpike doctor` says what to do');
    void onBrowserStart(host, stop.signal, () => console.log('A browser starts now. Turnpike is up.'));
  }
  if (!stop.signal.aborted) {
    const urls = {
      gateway: running.url,
      host: host.publicUrl,
      proxy: proxy.url,
      metrics: observation.metricsUrl,
    };
    // Only now: secrets that nobody was shown would be lost.
    const demo = await demoAccount(db, sealerFrom(env));
    const links = await firstLinks(db, { publicUrl: gatewayConfig.publicUrl ?? running.url, now });
    const greeting = { urls, demo, demoEmail, links, problem };
    const isTerminal = process.stdout.isTTY && status.isTTY;
    console.log(isTerminal ? terminalGreeting(greeting, terminalWidth()) : plainGreeting(greeting));
  }

  const signal = await stopRequested;
  logger.info({ signal }, 'shutting down: closing browsers');
  stopping.start([requestsToAnswer(running.requests), sessionsToClose(() => host.seats().used)]);
}

/** Allows proxies on loopback if only this machine can reach the service. */
function withLoopback(bind: string, allow: string): string {
  const loopback = 'localhost,127.0.0.0/8,::1';
  return ['127.0.0.1', '::1', 'localhost'].includes(bind) ? `${loopback},${allow}` : allow;
}

/** Creates an account at the first start on an empty store. */
async function demoAccount(db: Database, sealer: Sealer): Promise<AccountSecrets | undefined> {
  if ((await listAccounts(db)).length > 0) return undefined;
  try {
    return await createAccount(db, sealer, { email: demoEmail, name: 'Demo' });
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Links for people who have no password yet: the operator, and the user of the demo account. */
async function firstLinks(
  db: Database,
  options: { publicUrl: string; now: () => number },
): Promise<{ who: string; url: string }[]> {
  const links: { who: string; url: string }[] = [];
  const operators = await listOperators(db);
  if (operators.every(({ password_hash }) => password_hash === null)) {
    const { url } = await inviteOperator(db, operators[0]?.email ?? operatorEmail, options);
    links.push({ who: 'operator', url });
  }
  const demo = await findUserByEmail(db, demoEmail);
  if (!demo?.password_hash && (await findAccountByEmail(db, demoEmail))) {
    links.push({ who: 'demo account', url: (await inviteAccount(db, demoEmail, options)).url });
  }
  return links;
}
