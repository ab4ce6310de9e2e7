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
import { createLogger } from '@turnpike/process/logger';
import { startObservation } from '@turnpike/process/observation';
import type { Environment } from '@turnpike/process/settings';
import { type RunningProxy, startProxy } from '@turnpike/proxy/app';
import { readProxyConfig } from '@turnpike/proxy/config';
import { lockDataDirectory } from './data-directory-lock.ts';
import { browsersToClose, requestsToAnswer, StoppingReport } from './show-stopping.ts';
import { signalled } from './signals.ts';

const demoEmail = 'demo@example.com';
const operatorEmail = 'operator@example.com';

/** The whole service in one process: gateway, one host and the metered proxy. Runs until SIGTERM or SIGINT. */
export async function up(env: Environment): Promise<void> {
  using _lock = lockDataDirectory(dataDirectory(env));
  const gatewayConfig = readGatewayConfig(env);
  const hostConfig = readHostConfig(env);
  const proxyConfig = readProxyConfig(env);
  const logger = createLogger(gatewayConfig.logLevel);
  const stopRequested = signalled();

  let gateway: RunningGateway | undefined;
  let proxy: RunningProxy | undefined;
  // Released last to first: no new creates, then the browsers, then the proxy they use, then the store.
  await using undo = new AsyncDisposableStack();
  const stopping = undo.use(new StoppingReport());
  const observation = undo.use(await startObservation(env));
  undo.defer(() => gateway?.stop());
  undo.defer(() => proxy?.stop());
  const host = await startHost(hostConfig, logger, {
    observation,
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
  const demo = await demoAccount(db, sealerFrom(env));
  const links = await firstLinks(db, { publicUrl: gatewayConfig.publicUrl ?? running.url, now });
  const urls = {
    gateway: running.url,
    host: host.publicUrl,
    proxy: proxy.url,
    metrics: observation.metricsUrl,
  };
  undo.use(containEscapedErrors(logger, observation.registry));
  console.log(greeting(urls, demo, links));

  const signal = await stopRequested;
  logger.info({ signal }, 'shutting down: closing browsers');
  const waits = [requestsToAnswer(running.requests), browsersToClose(() => host.seats().used)];
  stopping.start(waits);
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

function greeting(
  urls: { gateway: string; host: string; proxy: string; metrics: string | undefined },
  demo: AccountSecrets | undefined,
  links: readonly { who: string; url: string }[],
): string {
  const secretLines = demo
    ? [
        'A demo account was created. Its secrets, shown only once:',
        '',
        `  API key           ${demo.apiKey}`,
        `  statistics token  ${demo.statsToken}`,
        `  proxy login       ${demo.proxyUser}:${demo.proxyPassword}`,
      ]
    : [
        'Keys were shown when they were created. For a new key, and the login for the proxy, run:',
        '',
        `  npx turnpike account rotate-key ${demoEmail}`,
        `  npx turnpike account proxy-password ${demoEmail}`,
      ];
  const login = demo ? `${demo.proxyUser}:${demo.proxyPassword}` : '<login>';
  return [
    '',
    'Turnpike is up.',
    '',
    `  gateway   ${urls.gateway}`,
    `  browsers  ${urls.host}`,
    `  proxy     ${urls.proxy}  (metered; HTTP and SOCKS5)`,
    ...(urls.metrics ? [`  metrics   ${urls.metrics}`] : []),
    '',
    ...secretLines,
    '',
    ...(links.length === 0
      ? [`The dashboard: ${urls.gateway}`]
      : ['The dashboard. Each link works once, to set a password:', '']),
    ...links.map(({ who, url }) => `  ${who.padEnd(13)} ${url}`),
    '',
    'Open a browser and print its CDP URL:',
    '',
    `  curl -H 'x-api-key: ${demo?.apiKey ?? '<key>'}' '${urls.gateway}/connect?proxy=${urls.proxy.replace('://', `://${login}@`)}'`,
    '',
    'Stop with Ctrl-C: running browsers are closed and billed.',
    '',
  ].join('\n');
}
