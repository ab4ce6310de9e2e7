import type { Event } from '@turnpike/contract/events';
import { expect, test, vi } from 'vitest';
import { MadeUpSite, siteWithLoops } from '../../fixtures/crawl/made-up-site.ts';
import { openStream } from '../../fixtures/gateway/event-reader.ts';
import { engines, startGatewayOn } from '../../fixtures/gateway/gateway.ts';
import { sample } from '../../fixtures/service/metrics.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { allPages, cancel, crawlIn, startCrawl, urlsOf } from './crawl-calls.ts';

watchLeaks();

const origin = 'https://site.test';

test.each(engines)('a site with loops and duplicates is crawled once, on %s', async (engine) => {
  await using gateway = await startGatewayOn(engine);
  const account = await gateway.account();
  const site = siteWithLoops(origin, 20);
  gateway.host.answerPage = site.answer;
  const id = await startCrawl(account, { url: origin, limit: 500, sitemap: 'skip', robots: false });
  const crawl = await crawlIn(account, id, 'done');
  const pages = await allPages(account, id, 7);
  const expected = [`${origin}/`, ...Array.from({ length: 20 }, (_, number) => `${origin}/page/${number}`)];
  // A page that was loaded under its other address first has that address.
  const canonical = pages.map((page) => ({ url: page.canonical ?? page.url }));
  expect(urlsOf(canonical)).toEqual(expected.toSorted());
  expect(pages.every(({ result, status }) => result === 'done' && status === 200)).toBe(true);
  expect(pages.every(({ url, formats }) => formats.markdown.startsWith('# ') && url.startsWith(origin))).toBe(
    true,
  );
  expect(Object.keys(pages[0].formats)).toEqual(['markdown']);
  expect(crawl.pages).toMatchObject({ open: 0, done: 21, failed: 0 });
  expect(Math.max(...site.loads.values())).toBe(1);
  await vi.waitFor(() => expect(gateway.host.list()).toEqual([]));
  // All its sessions are ordinary ones, and billed. The host is done with one before the store is.
  const ended = async () => (await account.get('/user/api/sessions')).json.sessions;
  await expect
    .poll(async () => (await ended()).every(({ status }: { status: string }) => status === 'CLOSED'))
    .toBe(true);
  const sessions = await ended();
  expect(sessions.length).toBeGreaterThan(0);
  expect(sessions.filter(({ billedSeconds }: { billedSeconds: number }) => billedSeconds < 30)).toEqual([]);
});

test('limit, depth and patterns decide which pages are taken up', async () => {
  await using gateway = await startGatewayOn('sqlite');
  const account = await gateway.account();
  const site = new MadeUpSite()
    .add(`${origin}/`, { links: ['/blog/1', '/shop/1', 'https://sub.site.test/blog/3', '/blog/x/y'] })
    .add(`${origin}/blog/1`, { links: ['/blog/2'] })
    .add(`${origin}/blog/2`, { links: ['/blog/4'] })
    .add('https://sub.site.test/blog/3');
  gateway.host.answerPage = site.answer;
  const plain = { url: origin, sitemap: 'skip', robots: false };
  const crawled = async (body: object) => {
    const id = await startCrawl(account, { ...plain, ...body });
    await crawlIn(account, id, 'done');
    return urlsOf(await allPages(account, id)).map((url) => url.replace(origin, ''));
  };
  expect(await crawled({ limit: 2 })).toHaveLength(2);
  expect(await crawled({ depth: 0 })).toEqual(['/']);
  expect(await crawled({ depth: 1 })).toEqual(['/', '/blog/1', '/blog/x/y', '/shop/1']);
  expect(await crawled({ includePatterns: ['**/blog/*'], subdomains: true })).toEqual(
    ['/', '/blog/1', '/blog/2', '/blog/4', 'https://sub.site.test/blog/3'].toSorted(),
  );
  expect(await crawled({ excludePatterns: ['**/blog/**'] })).toEqual(['/', '/shop/1']);
});

test('robots.txt is obeyed, read once through the session, and its sitemaps are used', async () => {
  await using gateway = await startGatewayOn('sqlite');
  const account = await gateway.account();
  const site = new MadeUpSite()
    .add(`${origin}/robots.txt`, {
      text: `User-agent: *\nDisallow: /private\nCrawl-delay: 0.05\nSitemap: ${origin}/maps.xml`,
    })
    .add(`${origin}/maps.xml`, {
      text: `<sitemapindex><loc>${origin}/map1.xml</loc></sitemapindex>`,
    })
    .add(`${origin}/map1.xml`, {
      text: `<urlset><loc>${origin}/from-map</loc><loc>${origin}/private/2</loc><loc>https://other.test/</loc></urlset>`,
    })
    .add(`${origin}/`, { links: ['/private/1', '/open'] })
    .add(`${origin}/open`)
    .add(`${origin}/from-map`)
    .add(`${origin}/private/1`);
  gateway.host.answerPage = site.answer;
  const id = await startCrawl(account, { url: origin });
  await crawlIn(account, id, 'done');
  expect(urlsOf(await allPages(account, id))).toEqual([`${origin}/`, `${origin}/from-map`, `${origin}/open`]);
  expect(site.loads.get(`${origin}/robots.txt`)).toBe(1);
  expect(site.loads.has(`${origin}/private/1`)).toBe(false);

  const batch = await startCrawl(account, { urls: [`${origin}/private/1`, `${origin}/open`] });
  expect((await crawlIn(account, batch, 'done')).pages).toMatchObject({ done: 1, skipped: 1 });
  const [refused] = (await allPages(account, batch)).filter(({ result }) => result === 'skipped');
  expect(refused).toMatchObject({ url: `${origin}/private/1`, error: { code: 'ROBOTS' }, formats: null });

  const only = await startCrawl(account, { url: origin, sitemap: 'only', robots: false });
  await crawlIn(account, only, 'done');
  expect(await allPages(account, only)).toEqual([]);
});

test('a batch has each of its addresses, and says what did not load', async () => {
  await using gateway = await startGatewayOn('sqlite');
  const account = await gateway.account();
  const site = new MadeUpSite()
    .add('https://a.test/', { canonical: 'https://b.test/', links: ['/x'] })
    .add('https://b.test/', {})
    .add('https://c.test/', { error: { code: 'PAGE_DNS', message: 'No such host.' } })
    .add('https://d.test/', { status: 500 });
  gateway.host.answerPage = site.answer;
  const urls = [
    'https://a.test',
    'https://a.test/#again',
    'https://b.test/',
    'https://c.test',
    'https://d.test',
  ];
  const id = await startCrawl(account, {
    urls,
    robots: false,
    formats: ['content', 'scrape'],
    elements: [{ selector: 'h1' }],
  });
  const crawl = await crawlIn(account, id, 'done');
  expect(crawl).toMatchObject({
    url: null,
    limit: 4,
    pages: { found: 4, done: 2, failed: 2, duplicates: 0 },
  });
  const pages = await allPages(account, id);
  const errors = Object.fromEntries(pages.map(({ url, error }) => [url, error?.code ?? null]));
  expect(errors).toEqual({
    'https://a.test/': null,
    'https://b.test/': null,
    'https://c.test/': 'PAGE_DNS',
    'https://d.test/': 'PAGE_HTTP_500',
  });
  expect(pages.find(({ url }) => url === 'https://a.test/').formats).toEqual({
    content: '<h1>https://a.test/</h1>',
    scrape: [{ selector: 'h1', results: [{ text: 'h1 of https://a.test/' }] }],
  });
});

test('a page that has not changed is not loaded where no links are followed, and stored by neither crawl', async () => {
  await using gateway = await startGatewayOn('sqlite');
  const account = await gateway.account();
  const site = new MadeUpSite().add(`${origin}/a`, { etag: '"1"' }).add(`${origin}/b`);
  gateway.host.answerPage = site.answer;
  const load = async (body: object) => {
    const id = await startCrawl(account, { robots: false, sitemap: 'skip', skipUnchanged: true, ...body });
    await crawlIn(account, id, 'done');
    return (await allPages(account, id)).toSorted((a, b) => a.url.localeCompare(b.url));
  };
  const urls = [`${origin}/a`, `${origin}/b`];
  expect((await load({ urls })).map(({ result }) => result)).toEqual(['done', 'done']);
  for (const _ of [2, 3]) {
    const again = await load({ urls });
    expect(again.map(({ error, status }) => [error.code, status])).toEqual([
      ['UNCHANGED', 304],
      ['UNCHANGED', 200],
    ]);
    expect(again.map(({ formats }) => formats)).toEqual([null, null]);
  }
  // Its links are followed, so it is loaded.
  site.add(`${origin}/a`, { etag: '"1"', links: ['/b'] });
  const crawled = await load({ url: urls[0] });
  expect(crawled.map(({ url, status }) => [url, status])).toEqual(urls.map((url) => [url, 200]));
  site.add(`${origin}/a`, { etag: '"2"' });
  expect(gateway.host.pageCalls.filter(({ validators }) => validators).length).toBe(2);
  const changed = await load({ urls: [`${origin}/a`], formats: ['content'] });
  expect(changed[0]).toMatchObject({ result: 'done', status: 200 });
});

test.each(engines)(
  'metrics count crawls, their sessions and pages, and the longest wait, on %s',
  async (engine) => {
    await using gateway = await startGatewayOn(engine);
    const account = await gateway.account();
    const metric = (series: string) => sample(gateway.observation, `turnpike_gateway_${series}`);
    expect(await metric('crawl_oldest_wait_seconds')).toBe(0);
    const site = new MadeUpSite().add(`${origin}/a`).add(`${origin}/b`, { status: 404 });
    gateway.host.answerPage = site.answer;
    const loading = Promise.withResolvers<void>();
    site.onLoad = () => loading.promise;
    const id = await startCrawl(account, { urls: [`${origin}/a`, `${origin}/b`], robots: false });
    await vi.waitFor(() => expect(site.loads.size).toBeGreaterThan(0));
    gateway.clock.advance(30_000);
    expect(await metric('crawls{state="running"}')).toBe(1);
    expect(await metric('crawl_runners')).toBeGreaterThan(0);
    expect(await metric('crawl_oldest_wait_seconds')).toBeGreaterThanOrEqual(30);
    loading.resolve();
    await crawlIn(account, id, 'done');
    expect(await metric('crawls{state="running"}')).toBe(0);
    await expect.poll(() => metric('crawl_pages_total{outcome="done"}')).toBe(1);
    await expect.poll(() => metric('crawl_pages_total{outcome="failed"}')).toBe(1);
    expect(await metric('crawl_oldest_wait_seconds')).toBe(0);
  },
);

test('a crawl reports its progress by events, and is listed', async () => {
  await using gateway = await startGatewayOn('sqlite');
  const account = await gateway.account();
  gateway.host.answerPage = siteWithLoops(origin, 10).answer;
  const events = await openStream(gateway.url, account.key);
  const id = await startCrawl(account, { url: origin, robots: false, sitemap: 'skip' });
  await crawlIn(account, id, 'done');
  const seen: Event[] = [];
  while (!seen.some(({ type }) => type === 'crawl.finished')) seen.push(...(await events.take(1)));
  events.hangUp();
  await events.ended;
  const own = seen.filter(({ type }) => type.startsWith('crawl.'));
  expect(own[0]).toMatchObject({ type: 'crawl.started', data: { id, state: 'running' } });
  expect(own.at(-1)).toMatchObject({
    type: 'crawl.finished',
    data: { id, state: 'done', pages: { open: 0 } },
  });
  expect((await account.get('/api/crawl')).json).toMatchObject({ crawls: [{ id }], nextCursor: null });
  const other = await gateway.account();
  expect((await other.get(`/api/crawl/${id}`)).status).toBe(404);
  expect((await other.get(`/api/crawl/${id}/pages`)).status).toBe(404);
  expect((await cancel(gateway.url, other, id)).status).toBe(404);
});

test('a cancelled crawl loads no more, closes its sessions, and keeps its results', async () => {
  await using gateway = await startGatewayOn('sqlite');
  const account = await gateway.account();
  const site = siteWithLoops(origin, 100);
  gateway.host.answerPage = site.answer;
  const held = Promise.withResolvers<void>();
  site.onLoad = async () => {
    if (site.loads.size > 10) await held.promise;
  };
  const id = await startCrawl(account, { url: origin, robots: false, sitemap: 'skip' });
  await vi.waitFor(() => expect(site.loads.size).toBeGreaterThan(10), { timeout: 20_000 });
  expect((await cancel(gateway.url, account, id)).json).toMatchObject({ id, state: 'cancelled' });
  held.resolve();
  await vi.waitFor(() => expect(gateway.host.list()).toEqual([]), { timeout: 10_000 });
  expect((await crawlIn(account, id, 'cancelled')).sessions).toBe(0);
  expect((await allPages(account, id)).length).toBeGreaterThan(5);
  expect((await cancel(gateway.url, account, id)).json.state).toBe('cancelled');
  expect((await cancel(gateway.url, account, id, '?deleteResults=true')).status).toBe(200);
  expect((await account.get(`/api/crawl/${id}`)).status).toBe(404);
});
