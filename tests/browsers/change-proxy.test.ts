// @module-tag slow
import type { ProxyUse } from '@turnpike/contract/traffic';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { call } from '../fixtures/gateway/gateway.ts';
import { startSquid } from '../fixtures/network/squid.ts';
import { startWebServer } from '../fixtures/network/web-server.ts';
import { sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

test('a session goes on through another proxy, and says when that one fails', async () => {
  await using web = await startWebServer();
  await using first = await startSquid();
  await using second = await startSquid();
  await using service = await sharedService();
  const account = await service.account({ creates_per_minute: 1000 });
  const headers = { 'x-api-key': account.key, 'content-type': 'application/json' };
  for (const [name, squid, pricePerGb] of [
    ['first', first, 8],
    ['second', second, 2],
  ] as const) {
    const saved = await account.post('/user/api/proxies', { name, url: `http://${squid.url}`, pricePerGb });
    expect(saved, saved.text).toMatchObject({ status: 200 });
  }
  const opened = await account.create({ proxy: 'name:first', headless: true });
  const id: string = opened.json.browserId;
  const browser = await chromium.connectOverCDP(opened.json.cdpUrl);
  const page = await browser.contexts()[0]?.newPage();
  const load = async (path: string) => (await page?.goto(`${web.origin}${path}`))?.status();
  expect(await load('/?by=first')).toBe(200);
  const body = JSON.stringify({ proxy: 'name:second' });
  const changed = await call(`${service.gatewayUrl}/api/browser/${id}`, { method: 'PATCH', headers, body });
  expect(changed, changed.text).toMatchObject({ status: 200 });
  expect(changed.headers.get('x-proxy')).toBe('name:second');
  expect(await load('/?by=second')).toBe(200);
  const targets = async (squid: typeof first) => (await squid.accessLog()).map(({ target }) => target);
  await expect
    .poll(async () => (await targets(second)).some((target) => target.endsWith('/?by=second')), {
      timeout: 20_000,
    })
    .toBe(true);
  expect((await targets(first)).some((target) => target.endsWith('/?by=second'))).toBe(false);

  const traffic = (await account.get(`/api/browser/${id}/traffic`)).json;
  const proxies: (ProxyUse & { cost: number })[] = traffic.proxies;
  expect(proxies.map(({ proxy }) => proxy)).toEqual(['name:first', 'name:second']);
  expect(proxies.reduce((sum, use) => sum + use.bytesUp, 0)).toBe(traffic.bytesUp);
  expect(proxies.reduce((sum, use) => sum + use.bytesDown, 0)).toBe(traffic.bytesDown);
  expect(traffic.costOfOneProxy).toBeGreaterThan(traffic.cost);

  await second.stop();
  for (let i = 0; i < 6; i++) await load(`/?failing=${i}`).catch(() => {});
  const state = async () => (await account.get('/user/api/proxies/second')).json.health.state;
  await expect.poll(state, { timeout: 30_000 }).toBe('failing');
  await browser.close();
  await account.close(id);
  const stream = await fetch(`${service.gatewayUrl}/user/api/events`, {
    headers: { ...headers, 'last-event-id': '0' },
    signal: AbortSignal.timeout(60_000),
  });
  let told = '';
  for await (const part of stream.body as ReadableStream<Uint8Array>) {
    told += Buffer.from(part).toString();
    if (told.includes('event: session.closed')) break;
  }
  const types = [...told.matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
  expect(types).toContain('session.proxy_failed');
  expect(types).toContain('proxy.failing');
  const { days } = (await account.get('/user/api/proxies/second/usage')).json;
  const today = days.at(-1);
  expect([today.sessions, today.failures > 0]).toEqual([1, true]);
});
