import { createLogger } from '@turnpike/process/logger';
import { unobserved } from '@turnpike/process/observation';
import { type RunningProxy, startProxy } from '@turnpike/proxy/app';
import type { ProxyConfig } from '@turnpike/proxy/config';
import { parseProductMap } from '@turnpike/tunnel/addresses/product-map';
import { storeMeterBackend } from '../../apps/gateway/src/bandwidth/meter-backend.ts';
import {
  call,
  startTestGateway,
  type TestAccount,
  type TestGateway,
  type TestStore,
  testStore,
} from '../fixtures/gateway/gateway.ts';

export interface Metered extends AsyncDisposable {
  gateway: TestGateway;
  proxy: RunningProxy;
  port: number;
  observation: ReturnType<typeof unobserved>;
  account(): Promise<TestAccount>;
  /** Bytes that were counted for an account today. */
  counted(account: TestAccount, product: string): Promise<number>;
}

/** The metered proxy on a gateway's store, every product straight to the target, targets on this machine allowed. */
export async function startMetered(
  engine: 'sqlite' | 'postgres' = 'sqlite',
  overrides: Partial<ProxyConfig> = {},
): Promise<Metered> {
  await using undo = new AsyncDisposableStack();
  const store: TestStore = undo.use(await testStore(engine));
  const gateway = undo.use(await startTestGateway(store.location));
  const config: ProxyConfig = {
    bind: '127.0.0.1',
    port: 0,
    products: parseProductMap('{"residential":"direct","rotating-isp":"direct","rotating-dc":"direct"}'),
    targetAllow: '127.0.0.0/8,localhost',
    accountConnections: 1000,
    handshakeMs: 15_000,
    ...overrides,
  };
  const backend = storeMeterBackend(gateway.running.gateway.db);
  const observation = unobserved();
  const proxy = await startProxy(config, backend, createLogger('silent'), observation);
  undo.defer(() => proxy.stop());
  const owned = undo.move();
  return {
    gateway,
    proxy,
    port: Number(new URL(proxy.url).port),
    observation,
    account: () => gateway.account(),
    async counted(account, product) {
      gateway.clock.advance(61_000); // Statistics have a rate window of their own.
      const day = new Date().toISOString().slice(0, 10);
      const url = `${gateway.url}/api/users/stats/${product}/bandwidth?from=${day}&to=${day}&unit=Kb`;
      const { json } = await call(url, { headers: { authorization: `Bearer ${account.statsToken}` } });
      return Math.round(json.data.series[0].total_value * 1000);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The header with a login. */
export function loginHeader(account: TestAccount, options = '', password = account.proxyPassword): string {
  return `Proxy-Authorization: Basic ${btoa(`${account.proxyUser}${options}:${password}`)}\r\n`;
}
