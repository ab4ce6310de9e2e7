import { execFile } from 'node:child_process';
import { createLogger } from '@turnpike/process/logger';
import { unobserved } from '@turnpike/process/observation';
import { type RunningProxy, startProxy } from '@turnpike/proxy/app';
import type { ProxyConfig } from '@turnpike/proxy/config';
import { parseProductMap } from '@turnpike/tunnel/addresses/product-map';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reinstateAccount, suspendAccount } from '../../apps/gateway/src/accounts/manage-account.ts';
import { storeMeterBackend } from '../../apps/gateway/src/bandwidth/meter-backend.ts';
import {
  call,
  startTestGateway,
  type TestAccount,
  type TestGateway,
  type TestStore,
  testStore,
} from '../fixtures/gateway/gateway.ts';
import { type Socks, startSocks } from '../fixtures/network/socks.ts';
import { type Squid, startSquid } from '../fixtures/network/squid.ts';
import { startTap } from '../fixtures/network/tap.ts';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';
import { sample } from '../fixtures/service/metrics.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

let undo: AsyncDisposableStack;
let web: WebServer;
let squid: Squid;
let socks: Socks;
let store: TestStore;
let gateway: TestGateway;
let proxy: RunningProxy;
let account: TestAccount;

const config = (overrides: Partial<ProxyConfig> = {}): ProxyConfig => ({
  bind: '127.0.0.1',
  port: 0,
  products: parseProductMap(
    JSON.stringify({
      residential: 'direct',
      'rotating-isp': { upstreams: [{ url: `http://${squid.url}`, country: 'us' }] },
      'rotating-dc': { upstreams: [{ url: `socks5h://up:stream@${socks.url}` }] },
    }),
  ),
  targetAllow: '127.0.0.0/8,localhost',
  accountConnections: 100,
  handshakeMs: 5000,
  ...overrides,
});
const start = (overrides: Partial<ProxyConfig> = {}) =>
  startProxy(config(overrides), storeMeterBackend(gateway.running.gateway.db), createLogger('silent'));

beforeAll(async () => {
  undo = new AsyncDisposableStack();
  web = undo.use(await startWebServer());
  squid = undo.use(await startSquid());
  socks = undo.use(await startSocks({ username: 'up', password: 'stream' }));
  store = undo.use(await testStore('sqlite'));
  gateway = undo.use(await startTestGateway(store.location));
  proxy = await start();
  undo.defer(() => proxy.stop());
  account = await gateway.account();
});

afterAll(() => undo.disposeAsync());

interface Fetched {
  code: number;
  status: string;
  stdout: string;
}

/** curl, as a customer's client. */
function curl(proxyUrl: string, ...args: string[]): Promise<Fetched> {
  const all = ['-sS', '--max-time', '10', '-x', proxyUrl, '-w', '\n%{http_code} %{http_connect}', ...args];
  return new Promise((resolve) => {
    execFile('curl', all, { maxBuffer: 2 ** 26 }, (error, stdout) => {
      const end = stdout.lastIndexOf('\n');
      resolve({
        code: Number(error?.code ?? 0),
        status: stdout.slice(end + 1),
        stdout: stdout.slice(0, end),
      });
    });
  });
}

const login = (options = '', password = account.proxyPassword) =>
  `${account.proxyUser}${options}:${password}`;
const via = (scheme: string, user = login(), url = proxy.url) => `${scheme}://${user}@${new URL(url).host}`;
const total = async (product: string, who = account) => {
  gateway.clock.advance(61_000);
  const from = new Date().toISOString().slice(0, 10);
  const url = `${gateway.url}/api/users/stats/${product}/bandwidth?from=${from}&to=${from}&unit=Kb`;
  const { json } = await call(url, { headers: { authorization: `Bearer ${who.statsToken}` } });
  return Math.round(json.data.series[0].total_value * 1000);
};

describe('carries', () => {
  test.each(['http', 'socks5h', 'socks5'])('plain HTTP by %s', async (scheme) => {
    const answer = await curl(via(scheme), `${web.origin}/bytes/5000`);
    expect([answer.code, answer.stdout.length]).toEqual([0, 5000]);
  });
  test('a CONNECT tunnel', async () => {
    const answer = await curl(via('http'), '-p', `${web.origin}/`);
    expect([answer.code, answer.status]).toEqual([0, '200 200']);
    expect(answer.stdout).toContain('Turnpike test page');
  });
  test('a request with a body, and several on one connection', async () => {
    const answer = await curl(
      via('http'),
      '-d',
      'x'.repeat(10_000),
      `${web.origin}/echo`,
      `${web.origin}/echo`,
    );
    expect(answer.code).toBe(0);
    const seen = web.requests.at(-1);
    expect(seen).toMatchObject({ method: 'POST', path: '/echo' });
    expect(Object.keys(seen?.headers ?? {})).not.toContain('proxy-authorization');
  });
  test('a product by its upstream pool, HTTP and SOCKS5', async () => {
    expect(
      (await curl(via('http', login('-product-rotating-isp-country-us')), '-p', `${web.origin}/`)).status,
    ).toBe('200 200');
    await expect
      .poll(() => squid.accessLog())
      .toContainEqual(expect.objectContaining({ target: `127.0.0.1:${web.port}` }));
    expect((await curl(via('http', login('-product-rotating-dc')), `${web.origin}/`)).status).toBe('200 000');
    expect(socks.requests()).toContainEqual(expect.objectContaining({ port: web.port }));
  });
});

describe('refuses', () => {
  test('a wrong password, an unknown user, none at all, and options that do not exist: 407', async () => {
    for (const user of [login('', 'wrong'), 'nobody:x', login('-product-mobile'), login('-country-usa')]) {
      expect([user, (await curl(via('http', user), `${web.origin}/`)).status]).toEqual([user, '407 000']);
      expect((await curl(via('http', user), '-p', `${web.origin}/`)).status).toBe('000 407');
      expect((await curl(via('socks5h', user), `${web.origin}/`)).code).toBe(97);
    }
    expect((await curl(proxy.url, `${web.origin}/`)).status).toBe('407 000');
  });
  test('a suspended account, until it is reinstated', async () => {
    const other = await gateway.account();
    const user = `${other.proxyUser}:${other.proxyPassword}`;
    const { db } = gateway.running.gateway;
    await suspendAccount(db, other.email);
    expect((await curl(via('http', user), `${web.origin}/`)).status).toBe('407 000');
    await reinstateAccount(db, other.email);
    await expect.poll(async () => (await curl(via('http', user), `${web.origin}/`)).status).toBe('200 000');
  });
  test('a country without an upstream, and a product without a way out: 502', async () => {
    expect(
      (await curl(via('http', login('-product-rotating-isp-country-de')), `${web.origin}/`)).status,
    ).toBe('502 000');
    expect((await curl(via('http', login('-product-web-unblocker')), '-p', `${web.origin}/`)).status).toBe(
      '000 502',
    );
  });
  test("targets in the operator's own network: 403, direct and through a pool", async () => {
    const guarded = await start({ targetAllow: '' });
    try {
      for (const options of ['', '-product-rotating-isp']) {
        for (const host of [
          '127.0.0.1',
          'localhost',
          '[::1]',
          '169.254.169.254',
          '0x7f.1',
          '[::ffff:127.0.0.1]',
        ]) {
          const url = via('http', login(options), guarded.url);
          expect([host, (await curl(url, '-g', `http://${host}:${web.port}/`)).status]).toEqual([
            host,
            '403 000',
          ]);
          expect([host, (await curl(url, '-g', '-p', `http://${host}:${web.port}/`)).status]).toEqual([
            host,
            '000 403',
          ]);
        }
        expect((await curl(via('socks5h', login(options), guarded.url), `${web.origin}/`)).code).toBe(97);
      }
    } finally {
      await guarded.stop();
    }
  });
  test('what is no proxy request', async () => {
    const direct = await fetch(`${proxy.url}/`, {
      headers: { 'proxy-authorization': `Basic ${btoa(login())}` },
    });
    expect(direct.status).toBe(400);
  });
});

describe('counts', () => {
  test('what a counter on the wire saw, to the byte, by product and country', async () => {
    const other = await gateway.account();
    await using tap = await startTap(Number(new URL(proxy.url).port));
    const port = `127.0.0.1:${tap.port}`;
    const user = `${other.proxyUser}-country-br:${other.proxyPassword}`;
    await curl(`http://${user}@${port}`, `${web.origin}/bytes/123456`);
    await curl(`http://${user}@${port}`, '-p', `${web.origin}/bytes/77777`);
    await curl(`socks5h://${user}@${port}`, `${web.origin}/bytes/33333`);
    await proxy.report();
    expect(tap.bytes()).toBeGreaterThan(123456 + 77777 + 33333);
    expect(await total('residential', other)).toBe(tap.bytes());
    expect(await total('rotating-isp', other)).toBe(0);
    const from = new Date().toISOString().slice(0, 10);
    const { json } = await call(`${gateway.url}/api/users/stats/residential/countries?from=${from}&unit=Kb`, {
      headers: { authorization: `Bearer ${other.statsToken}` },
    });
    expect(json.data.countries).toEqual([{ country: 'BR', total_value: tap.bytes() / 1000 }]);
  });

  test('bytes of a connection that is still open', async () => {
    const other = await gateway.account();
    const user = `${other.proxyUser}:${other.proxyPassword}`;
    const open = execFile('curl', ['-sS', '-N', '-x', via('http', user), '-p', `${web.origin}/slow`]);
    const closed = new Promise((resolve) => open.once('exit', resolve));
    await expect.poll(async () => total('residential', other)).toBeGreaterThan(100);
    expect(open.exitCode).toBeNull();
    open.kill('SIGKILL');
    await closed;
  });

  test('nothing twice when a report is repeated, and all of it when one failed', async () => {
    const other = await gateway.account();
    const backend = storeMeterBackend(gateway.running.gateway.db);
    let failures = 0;
    const flaky = await startProxy(
      config(),
      {
        ...backend,
        async report(report) {
          failures += 1;
          // Every other report is stored, but its sender never hears of it.
          await backend.report(report);
          if (failures % 2) throw new Error('no answer');
        },
      },
      createLogger('silent'),
    );
    await using tap = await startTap(Number(new URL(flaky.url).port));
    const user = `${other.proxyUser}:${other.proxyPassword}`;
    for (let i = 0; i < 5; i++) {
      await curl(`http://${user}@127.0.0.1:${tap.port}`, `${web.origin}/bytes/1000`);
      await flaky.report();
    }
    await flaky.stop();
    expect(await total('residential', other)).toBe(tap.bytes());
  });

  test('for the operator: ways, refusals, connections and bytes by product, and nothing of accounts', async () => {
    const observation = unobserved();
    const backend = storeMeterBackend(gateway.running.gateway.db);
    const watched = await startProxy(config(), backend, createLogger('silent'), observation);
    await curl(via('http', login(), watched.url), `${web.origin}/bytes/5000`);
    await curl(via('http', login(), watched.url), '-p', `${web.origin}/`);
    await curl(via('socks5h', login(), watched.url), `${web.origin}/`);
    await curl(via('http', login('', 'wrong'), watched.url), `${web.origin}/`);
    await watched.stop();
    const requests = (way: string, outcome: string) =>
      sample(observation, `turnpike_proxy_requests_total{way="${way}",outcome="${outcome}"}`);
    expect(await requests('http', 'carried')).toBe(1);
    expect(await requests('connect', 'carried')).toBe(1);
    expect(await requests('socks', 'carried')).toBe(1);
    expect(await requests('http', '407')).toBe(1);
    expect(await sample(observation, 'turnpike_proxy_connections')).toBe(0);
    expect(await sample(observation, 'turnpike_proxy_bytes_total{product="residential"}')).toBeGreaterThan(
      5000,
    );
    expect(await sample(observation, 'turnpike_proxy_reports_total{outcome="stored"}')).toBeGreaterThan(0);
    const text = await observation.registry.metrics();
    for (const secret of [account.id, account.proxyUser, account.proxyPassword]) {
      expect(text).not.toContain(secret);
    }
  });
});
