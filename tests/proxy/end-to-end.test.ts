import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseProductMap } from '@turnpike/tunnel/addresses/product-map';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { call, startGatewayOn } from '../fixtures/gateway/gateway.ts';
import { startTap } from '../fixtures/network/tap.ts';
import { startWebServer } from '../fixtures/network/web-server.ts';
import { sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { quickOn, testEach } from '../fixtures/suite/matrix.ts';

watchLeaks();

const today = () => new Date().toISOString().slice(0, 10);
const stats = (url: string, token: string, path: string) =>
  call(`${url}/api/users/stats${path}`, { headers: { authorization: `Bearer ${token}` } });

test('a session loads a page of known size: summary, series, CSV and countries show what the wire saw, to the byte', async () => {
  await using web = await startWebServer();
  await using service = await sharedService();
  const account = await service.account();
  await using tap = await startTap(Number(new URL(service.proxyUrl).port));
  const proxy = `http://${account.proxyUser}-product-residential-country-us:${account.proxyPassword}@127.0.0.1:${tap.port}`;
  const opened = await account.connect({ proxy, headless: 'true' });
  expect(opened.status).toBe(200);
  const browser = await chromium.connectOverCDP(opened.text);
  const page = await browser.contexts()[0]?.newPage();
  await page?.goto(`${web.origin}/`);
  const size = await page?.evaluate(
    async () => (await (await fetch('/bytes/3000000')).arrayBuffer()).byteLength,
  );
  expect(size).toBe(3_000_000);
  await browser.close();
  await account.close(opened.headers.get('x-session-id') ?? '');
  expect(tap.bytes()).toBeGreaterThan(3_000_000);

  const read = (path: string) => stats(service.gatewayUrl, account.statsToken, path);
  const gigabytes = tap.bytes() / 1e9;
  await expect
    .poll(async () => (await read('/residential/summary')).json.data.total_value, {
      interval: 1000,
    })
    .toBe(gigabytes);
  expect((await read('/residential/summary')).json.data.today_value).toBe(gigabytes);
  const series = (await read(`/residential/bandwidth?from=${today()}`)).json.data.series;
  expect(series).toEqual([{ traffic_date: today(), total_value: gigabytes }]);
  expect((await read(`/residential/bandwidth.csv?from=${today()}&unit=Kb`)).text).toBe(
    `traffic_date,total_value\n${today()},${tap.bytes() / 1000}\n`,
  );
  expect((await read(`/residential/countries?from=${today()}`)).json.data.countries).toEqual([
    { country: 'US', total_value: gigabytes },
  ]);
  // The session's own counters saw the same wire.
  const [record] = (await account.get('/user/api/sessions')).json.sessions;
  expect(record.bytesUp + record.bytesDown).toBe(tap.bytes());
});

test('turnpike proxy, alone on PostgreSQL: SIGKILL keeps what was reported, and a new run goes on from there', {
  tags: 'slow',
}, async () => {
  await using web = await startWebServer();
  await using gateway = await startGatewayOn('postgres');
  const account = await gateway.account();
  const command = join(import.meta.dirname, '../../apps/cli/src/main.ts');
  const env = {
    ...process.env,
    DATABASE_URL: gateway.location.engine === 'postgres' ? gateway.location.url : '',
    TURNPIKE_PROXY_PORT: '0',
    TURNPIKE_PROXY_TARGET_ALLOW: '127.0.0.0/8',
    TURNPIKE_LOG_LEVEL: 'error',
  };
  let sent = 0;
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const child = spawn(process.execPath, [command, 'proxy'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const url = /http:\/\/\S+/.exec(line)?.[0] ?? '';
    await using tap = await startTap(Number(new URL(url).port));
    const authorization = `Basic ${btoa(`${account.proxyUser}:${account.proxyPassword}`)}`;
    await plainGet(tap.port, `${web.origin}/bytes/50000`, authorization);
    sent += tap.bytes();
    const counted = async () => {
      gateway.clock.advance(61_000);
      const { json } = await stats(
        gateway.url,
        account.statsToken,
        `/residential/bandwidth?from=${today()}&to=${today()}&unit=Kb`,
      );
      return Math.round(json.data.series[0].total_value * 1000);
    };
    // A stop in good order reports at the end; after a kill only what was reported before is there.
    if (signal === 'SIGKILL') await expect.poll(counted).toBe(sent);
    child.kill(signal);
    await exited;
    expect(await counted()).toBe(sent);
  }
});

testEach(quickOn('sqlite'))(
  'session bytes count for a product that is marked meter: session, once, and for no other (%s)',
  async (engine) => {
    const products = parseProductMap(
      JSON.stringify({
        'rotating-isp': { upstreams: [{ url: 'http://198.51.100.7:3128', country: 'fr', meter: 'session' }] },
      }),
    );
    await using gateway = await startGatewayOn(engine, { products });
    const account = await gateway.account();
    const counted = async (product: string) => {
      gateway.clock.advance(61_000);
      const { json } = await stats(gateway.url, account.statsToken, `/${product}/summary`);
      return Math.round(json.data.total_value * 1e9);
    };
    const id = (await account.connect()).headers.get('x-session-id') ?? '';
    gateway.host.transfer(id, 1000, 20_000);
    await gateway.running.leases.tick();
    await gateway.running.leases.tick();
    expect(await counted('rotating-isp')).toBe(21_000);
    gateway.host.transfer(id, 1500, 30_000);
    await Promise.all([account.close(id), account.close(id), gateway.running.leases.tick()]);
    expect(await counted('rotating-isp')).toBe(31_500);
    const other =
      (await account.connect({ proxy: 'http://198.51.100.8:3128' })).headers.get('x-session-id') ?? '';
    gateway.host.transfer(other, 5, 5);
    await account.close(other);
    for (const product of ['residential', 'rotating-dc', 'web-unblocker'])
      expect(await counted(product)).toBe(0);
    expect(await counted('rotating-isp')).toBe(31_500);
    expect((await account.get('/user/api/usage')).json.totals).toMatchObject({
      bytesUp: 1505,
      bytesDown: 30_005,
    });
  },
);

/** One request through the proxy, on a connection of its own. */
async function plainGet(port: number, url: string, authorization: string): Promise<void> {
  const { request } = await import('node:http');
  const headers = { 'proxy-authorization': authorization, connection: 'close' };
  const [response] = await once(
    request({ host: '127.0.0.1', port, path: url, headers, agent: false }).end(),
    'response',
  );
  expect(response.statusCode).toBe(200);
  response.resume();
  await once(response, 'close');
}
