// @module-tag slow

import { expect, test, vi } from 'vitest';
import type { StoreLocation } from '../../../apps/gateway/src/store/database.ts';
import { MadeUpSite, siteWithLoops } from '../../fixtures/crawl/made-up-site.ts';
import {
  call,
  someProxy,
  startGatewayOn,
  startTestGateway,
  testStore,
} from '../../fixtures/gateway/gateway.ts';
import { GatewayProcess } from '../../fixtures/gateway/gateway-child.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { allPages, crawlIn, startCrawl, urlsOf } from './crawl-calls.ts';

watchLeaks();

const origin = 'https://site.test';
const plain = { robots: false, sitemap: 'skip' };

test('a crawl waits for a slot, says so, and leaves half of the slots to others', async () => {
  await using gateway = await startGatewayOn('sqlite');
  const account = await gateway.account({ concurrent_limit: 2 });
  const site = siteWithLoops(origin, 6);
  gateway.host.answerPage = site.answer;
  const own = [await account.create(), await account.create()];
  const id = await startCrawl(account, { url: origin, ...plain });
  await vi.waitFor(
    async () => expect((await account.get(`/api/crawl/${id}`)).json.waiting).toBe('CONCURRENCY_LIMIT'),
    { timeout: 20_000 },
  );
  expect(site.loads.size).toBe(0);
  const held = Promise.withResolvers<void>();
  site.onLoad = () => held.promise;
  await account.close(own[0]?.json.browserId);
  gateway.clock.advance(5000);
  await vi.waitFor(() => expect(site.loads.size).toBe(1), { timeout: 20_000 });
  expect((await account.get(`/api/crawl/${id}`)).json).toMatchObject({ sessions: 1, waiting: null });
  held.resolve();
  await crawlIn(account, id, 'done');
  await account.close(own[1]?.json.browserId);
});

test('a crawl waits while its account has turned page calls off', async () => {
  await using gateway = await startGatewayOn('sqlite');
  const account = await gateway.account({ concurrent_limit: 1 });
  const site = siteWithLoops(origin, 3);
  gateway.host.answerPage = site.answer;
  const own = await account.create();
  const id = await startCrawl(account, { url: origin, ...plain });
  const waitsFor = (code: string) =>
    vi.waitFor(async () => expect((await account.get(`/api/crawl/${id}`)).json.waiting).toBe(code), {
      timeout: 20_000,
    });
  await waitsFor('CONCURRENCY_LIMIT');
  await account.post('/user/api/settings', { pageCalls: false });
  await account.close(own.json.browserId);
  gateway.clock.advance(5000);
  await waitsFor('PAGE_CALLS_OFF');
  expect(site.loads.size).toBe(0);
  await account.post('/user/api/settings', { pageCalls: true });
  gateway.clock.advance(60_000);
  expect((await crawlIn(account, id, 'done')).waiting).toBeNull();
});

test('a gateway whose operator has turned page calls off says so, and leaves crawls to others', async () => {
  await using store = await testStore('postgres');
  await using watch = await startGatewayWatch(store.location);
  const id = await startCrawl(watch.account, { url: origin, ...plain });
  const options = { usesStoreClock: true };
  await using off = await startTestGateway(store.location, { ...options, hostName: 'off', pageCalls: false });
  const headers = { 'x-api-key': watch.account.key };
  const read = () => call(`${off.url}/api/crawl/${id}`, { headers });
  expect((await read()).json).toMatchObject({ state: 'queued', waiting: 'PAGE_CALLS_OFF', sessions: 0 });
  await using on = await startTestGateway(store.location, { ...options, hostName: 'on' });
  on.host.answerPage = siteWithLoops(origin, 3).answer;
  await crawlIn(watch.account, id, 'done', 30_000);
  expect((await read()).json).toMatchObject({ state: 'done', waiting: null });
});

test('a crawl whose sessions cannot be opened fails and says why', async () => {
  await using gateway = await startGatewayOn('sqlite');
  const account = await gateway.account();
  const id = await startCrawl(account, { url: origin, proxy: 'http://10.0.0.1:3128' });
  expect((await crawlIn(account, id, 'failed')).why).toMatch(/proxy/);
  const wrong = [
    { url: origin, urls: [origin] },
    { url: 'ftp://site.test' },
    { url: origin, limit: 0 },
    { url: origin, formats: ['scrape'] },
    { url: origin, html: '<p>' },
    { url: origin, os: 'amiga' },
    { url: origin, includePatterns: ['x'.repeat(300)] },
  ];
  for (const body of wrong)
    expect(
      (await account.post('/api/crawl', { proxy: someProxy, ...body })).status,
      JSON.stringify(body),
    ).toBe(400);
  expect((await account.post('/api/crawl', { url: origin })).json.code).toBe('PROXY_REQUIRED');
});

test('a repeated Idempotency-Key is answered with the same crawl', async () => {
  await using gateway = await startGatewayOn('sqlite');
  const account = await gateway.account();
  const post = (body: object) =>
    call(`${gateway.url}/api/crawl`, {
      method: 'POST',
      headers: { 'x-api-key': account.key, 'idempotency-key': 'k1', 'content-type': 'application/json' },
      body: JSON.stringify({ proxy: someProxy, ...plain, ...body }),
    });
  const [first, second] = [await post({ url: origin }), await post({ url: origin })];
  expect([first.status, second.json.id]).toEqual([202, first.json.id]);
  expect((await post({ url: `${origin}/other` })).status).toBe(422);
  await crawlIn(account, first.json.id, 'done');
});

test('the delay is between the beginnings of loads, and pages that fail for a moment are loaded again', async () => {
  await using gateway = await startGatewayOn('sqlite');
  const account = await gateway.account();
  const site = new MadeUpSite();
  for (const path of ['1', '2', '3']) site.add(`${origin}/${path}`);
  site.add(`${origin}/2`, { error: { code: 'PAGE_TIMEOUT', message: 'It took too long.' } });
  const times: number[] = [];
  site.onLoad = async (url) => {
    times.push(performance.now());
    if (site.loads.get(url) === 2) site.add(`${origin}/2`);
  };
  gateway.host.answerPage = site.answer;
  const id = await startCrawl(account, {
    ...plain,
    urls: ['1', '2', '3'].map((path) => `${origin}/${path}`),
    delay: 300,
  });
  expect((await crawlIn(account, id, 'done')).pages).toMatchObject({ done: 3, failed: 0 });
  expect(site.loads.get(`${origin}/2`)).toBe(2);
  for (const [index, at] of times.entries())
    if (index > 0) expect(at - (times[index - 1] ?? 0)).toBeGreaterThan(250);
});

test('a page that is as it was is skipped when asked, and a session that dies is replaced', async () => {
  await using gateway = await startGatewayOn('sqlite');
  const account = await gateway.account();
  const site = siteWithLoops(origin, 5);
  gateway.host.answerPage = site.answer;
  const body = { url: origin, ...plain, skipUnchanged: true };
  const first = await startCrawl(account, body);
  await crawlIn(account, first, 'done');
  let isLost = false;
  site.onLoad = async (url) => {
    if (isLost || !url.endsWith('/page/3')) return;
    isLost = true;
    for (const { sessionId } of gateway.host.list()) gateway.host.end(sessionId, 'gone');
    throw new Error('The host is gone');
  };
  const second = await startCrawl(account, body);
  const { pages } = await crawlIn(account, second, 'done');
  expect(pages).toMatchObject({ done: 0, failed: 0, open: 0 });
  expect(isLost).toBe(true);
  const results = await allPages(account, second);
  expect(results.every(({ error, formats }) => error.code === 'UNCHANGED' && formats === null)).toBe(true);
  expect(urlsOf(results)).toEqual([...new Set(urlsOf(results))]);
});

test('results that grow too large end a crawl, and expired ones are deleted', async () => {
  const crawls = {
    sessions: 2,
    accountSessions: 2,
    crawlMaxBytes: 600,
    accountMaxBytes: 2 ** 20,
    keepMs: 60_000,
  };
  await using gateway = await startGatewayOn('sqlite', { crawls });
  const account = await gateway.account();
  gateway.host.answerPage = siteWithLoops(origin, 30).answer;
  const id = await startCrawl(account, { url: origin, ...plain });
  const failed = await crawlIn(account, id, 'failed');
  expect(failed.why).toMatch(/larger/);
  expect(failed.bytes).toBeLessThanOrEqual(600);
  gateway.clock.advance(61_000);
  expect((await account.get(`/api/crawl/${id}`)).status).toBe(404);
  const { db } = gateway.running.gateway;
  await vi.waitFor(
    async () => {
      for (const table of ['crawls', 'crawl_pages', 'crawl_results', 'crawl_addresses'] as const)
        expect(await db.selectFrom(table).selectAll().execute()).toEqual([]);
      expect(await db.selectFrom('crawl_usage').select('bytes').executeTakeFirst()).toEqual({ bytes: 0 });
    },
    { timeout: 30_000 },
  );
});

test('a batch goes on when its gateway is killed, and its sessions are closed and billed', {
  tags: 'slow',
}, async () => {
  await using store = await testStore('postgres');
  const options = { store: store.location, createTimeoutMs: 20_000, realBrowsers: false };
  await using watcher = await startGatewayWatch(store.location);
  await using first = await GatewayProcess.start({ ...options, hostName: 'first' });
  const { account } = watcher;
  const urls = Array.from({ length: 120 }, (_, number) => `${origin}/${number}`);
  const id = await startCrawl(account, { urls, ...plain, hostConcurrency: 4, concurrency: 4 });
  await vi.waitFor(
    async () => expect((await account.get(`/api/crawl/${id}`)).json.pages.done).toBeGreaterThan(5),
    {
      timeout: 60_000,
    },
  );
  first.child.kill('SIGKILL');
  await first.exited;
  await using _second = await GatewayProcess.start({ ...options, hostName: 'second' });
  const { pages } = await crawlIn(account, id, 'done', 120_000);
  expect(pages).toMatchObject({ done: 120, failed: 0, open: 0 });
  expect(urlsOf(await allPages(account, id))).toEqual(urls.toSorted());
  await vi.waitFor(
    async () => {
      const { sessions } = (await account.get('/user/api/sessions')).json;
      expect(sessions.every(({ status }: { status: string }) => status !== 'ACTIVE')).toBe(true);
    },
    { timeout: 60_000 },
  );
});

/** A gateway that works on no crawls, from which the test reads. */
async function startGatewayWatch(location: StoreLocation) {
  const crawls = {
    sessions: 0,
    accountSessions: 8,
    crawlMaxBytes: 2 ** 28,
    accountMaxBytes: 2 ** 28,
    keepMs: 1e9,
  };
  const gateway = await startTestGateway(location, { crawls, hostName: 'watch', usesStoreClock: true });
  gateway.host.places = 0;
  const account = await gateway.account({ concurrent_limit: 10, creates_per_minute: 1000 });
  return { account, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
}
