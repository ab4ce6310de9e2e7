import { listAccounts } from '@turnpike/gateway/accounts/account-store';
import { Sealer } from '@turnpike/gateway/accounts/sealing';
import { readGatewayConfig, secretKey } from '@turnpike/gateway/config';
import { type RunningGateway, startGateway } from '@turnpike/gateway/main';
import { createAccount, OperatorError } from '@turnpike/gateway/operator/accounts';
import type { Database } from '@turnpike/gateway/store/database';
import { createHost } from '@turnpike/host/app';
import { readHostConfig } from '@turnpike/host/config';
import { createLogger } from '@turnpike/process/logger';
import type { Environment } from '@turnpike/process/settings';
import { startLocalProxy } from '@turnpike/proxy/app';
import { readProxyConfig } from '@turnpike/proxy/config';

const demoEmail = 'demo@example.com';

/** The whole service in one process: gateway, one host and a local proxy. Runs until SIGTERM or SIGINT. */
export async function up(env: Environment): Promise<void> {
  const gatewayConfig = readGatewayConfig(env);
  const hostConfig = readHostConfig(env);
  const proxyConfig = readProxyConfig(env);
  const logger = createLogger(gatewayConfig.logLevel);
  const stopRequested = signalled();

  let gateway: RunningGateway | undefined;
  // Released last to first: no new creates, then the browsers, then the proxy they use, then the store.
  await using undo = new AsyncDisposableStack();
  undo.defer(() => gateway?.stop());
  const proxy = await startLocalProxy(proxyConfig);
  undo.defer(() => proxy.stop());
  const host = createHost(hostConfig, logger);
  await host.listen();
  undo.defer(() => host.shutdown());
  const proxyAllow = allowedProxies(gatewayConfig);
  const running = await startGateway({ ...gatewayConfig, proxyAllow }, logger, [host]);
  gateway = running;
  undo.defer(() => running.drain());
  const key = await demoKey(running.gateway.db, new Sealer(secretKey(env)));
  console.log(greeting({ gateway: running.url, host: host.publicUrl, proxy: proxy.url }, key));

  const signal = await stopRequested;
  logger.info({ signal }, 'shutting down: closing browsers');
}

/** A service that only this machine can reach may use proxies on this machine. */
function allowedProxies({ bind, proxyAllow }: { bind: string; proxyAllow: string }): string {
  const loopback = 'localhost,127.0.0.0/8,::1';
  return ['127.0.0.1', '::1', 'localhost'].includes(bind) ? `${loopback},${proxyAllow}` : proxyAllow;
}

function signalled(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
  });
}

/** The first start on an empty store makes an account to begin with. */
async function demoKey(db: Database, sealer: Sealer): Promise<string | undefined> {
  if ((await listAccounts(db)).length > 0) return undefined;
  try {
    const { apiKey } = await createAccount(db, sealer, { email: demoEmail, name: 'Demo' });
    return apiKey;
  } catch (error) {
    if (error instanceof OperatorError) return undefined;
    throw error;
  }
}

function greeting(urls: { gateway: string; host: string; proxy: string }, key: string | undefined): string {
  const keyLines = key
    ? ['A demo account was made. Its API key, shown this once:', '', `  ${key}`]
    : [
        'API keys were shown when they were made. A new one for an account:',
        '',
        `  npx turnpike account rotate-key ${demoEmail}`,
      ];
  return [
    '',
    'Turnpike is up.',
    '',
    `  gateway   ${urls.gateway}`,
    `  browsers  ${urls.host}`,
    `  proxy     ${urls.proxy}  (on this machine only, for a first session)`,
    '',
    ...keyLines,
    '',
    'Open a browser and print its CDP URL:',
    '',
    `  curl -H 'x-api-key: ${key ?? '<key>'}' '${urls.gateway}/connect?proxy=${urls.proxy}'`,
    '',
    'Stop with Ctrl-C: running browsers are closed and billed.',
    '',
  ].join('\n');
}
