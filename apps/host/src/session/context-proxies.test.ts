import { maxProxyContexts } from '@turnpike/contract/proxies';
import type { TrafficReport } from '@turnpike/contract/traffic';
import { type Browser, chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBadProxies } from '../../../../tests/fixtures/network/bad-proxies.ts';
import { type CountingProxy, startCountingProxy } from '../../../../tests/fixtures/network/counting-proxy.ts';
import { startSocks } from '../../../../tests/fixtures/network/socks.ts';
import { startSquid } from '../../../../tests/fixtures/network/squid.ts';
import { startTap, type Tap } from '../../../../tests/fixtures/network/tap.ts';
import { startWebServer, type WebServer } from '../../../../tests/fixtures/network/web-server.ts';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { resolverOf } from '../testing/resolve-proxy.ts';
import { newRequest, startTestHost, type TestHost } from '../testing/test-host.ts';

watchLeaks();

const all = new AsyncDisposableStack();
const credentials = { username: 'ann', password: 'p@ss:w/rd' };
let web: WebServer;
let own: CountingProxy;
let host: TestHost;
/** The wires to a Squid with a password, to a SOCKS server with one, and to one without. */
let squid: Tap;
let lockedSocks: Tap;
let socks: Tap;

beforeAll(async () => {
  web = all.use(await startWebServer());
  own = all.use(await startCountingProxy());
  squid = all.use(await startTap(all.use(await startSquid(credentials)).port));
  lockedSocks = all.use(await startTap(all.use(await startSocks(credentials)).port));
  socks = all.use(await startTap(all.use(await startSocks()).port));
  const saved = { 'name:shop': at('http', squid.port, credentials) };
  host = all.use(await startTestHost({}, undefined, undefined, resolverOf(saved)));
});
afterAll(() => all.disposeAsync());

const at = (scheme: 'http' | 'socks5', port: number, more = {}) =>
  ({ scheme, host: '127.0.0.1', port, addresses: ['127.0.0.1'], ...more }) as const;

const report = (sessionId: string) => host.host.readTraffic(sessionId, 1000) as TrafficReport;

/** What each proxy has carried, by the ledger and by the wire to it. */
async function expectBytes(sessionId: string, wires: Record<string, number>): Promise<void> {
  const carried = () =>
    Object.fromEntries(
      (report(sessionId).proxies ?? [])
        .filter(({ proxy }) => proxy in wires)
        .map(({ proxy, bytesUp, bytesDown }) => [proxy, bytesUp + bytesDown]),
    );
  await expect.poll(carried, { timeout: 20_000 }).toEqual(wires);
}

const ownBytes = () => own.bytes().bytesUp + own.bytes().bytesDown;

async function openContext(
  browser: Browser,
  proxy: { server: string; username?: string; password?: string },
) {
  const context = await browser.newContext({ proxy });
  const page = await context.newPage();
  return { context, page };
}

test('Playwright: contexts with an HTTP proxy with a password, a SOCKS5 proxy, a saved one, and none', async () => {
  const [squidBefore, socksBefore] = [squid.bytes(), socks.bytes()];
  const session = await host.open(newRequest(at('http', own.port)));
  const browser = await chromium.connectOverCDP(session.url);
  const locked = await openContext(browser, { server: `http://127.0.0.1:${squid.port}`, ...credentials });
  const plain = await openContext(browser, { server: `socks5://127.0.0.1:${socks.port}` });
  const named = await openContext(browser, { server: 'name://shop' });
  for (const { page } of [locked, plain, named]) {
    expect((await page.goto(`${web.origin}/echo`))?.status()).toBe(200);
    expect(await page.evaluate(() => fetch('/bytes/50000').then((answer) => answer.text()))).toHaveLength(
      50_000,
    );
  }
  const session2 = await browser.newContext();
  const page = await session2.newPage();
  await page.goto('http://own.test/');
  expect(await page.title()).toBe('site');
  expect(own.asked.filter((line) => line.includes('127.0.0.1'))).toEqual([]);
  expect(web.requests.some(({ headers }) => 'proxy-authorization' in headers)).toBe(false);
  for (const { context } of [locked, plain, named]) await context.close();
  const labels = {
    own: `http://127.0.0.1:${own.port}`,
    squid: `http://127.0.0.1:${squid.port}`,
    socks: `socks5://127.0.0.1:${socks.port}`,
  };
  const uses = report(session.sessionId);
  expect(uses.proxies?.map(({ proxy }) => proxy)).toEqual([
    labels.own,
    labels.squid,
    labels.socks,
    'name:shop',
  ]);
  expect(uses.destinations.map(({ proxy }) => proxy)).toEqual(
    expect.arrayContaining([labels.own, labels.squid, labels.socks, 'name:shop']),
  );
  expect(JSON.stringify([uses, host.logs])).not.toContain('p@ss');
  await browser.close();
  await expectBytes(session.sessionId, { [labels.socks]: socks.bytes() - socksBefore });
  const { proxies = [] } = report(session.sessionId);
  const bySquid = proxies.filter(({ proxy }) => [labels.squid, 'name:shop'].includes(proxy));
  expect(bySquid.reduce((sum, { bytesUp, bytesDown }) => sum + bytesUp + bytesDown, 0)).toBe(
    squid.bytes() - squidBefore,
  );
  await host.host.close(session.sessionId);
});

test('Puppeteer: contexts with their own proxies, whose credentials come with the page', async () => {
  const before = [squid, lockedSocks].map((wire) => wire.bytes());
  const session = await host.open(newRequest(at('http', own.port)));
  const browser = await puppeteer.connect({ browserWSEndpoint: session.url });
  const proxies = [`http://127.0.0.1:${squid.port}`, `socks5://127.0.0.1:${lockedSocks.port}`];
  for (const proxyServer of proxies) {
    const context = await browser.createBrowserContext({ proxyServer, proxyBypassList: ['*'] });
    const page = await context.newPage();
    await page.authenticate(credentials);
    expect((await page.goto(`${web.origin}/echo`))?.status()).toBe(200);
    await context.close();
  }
  expect(own.asked.filter((line) => line.includes('127.0.0.1'))).toEqual([]);
  await browser.disconnect();
  await expectBytes(session.sessionId, {
    [proxies[0] as string]: squid.bytes() - (before[0] as number),
    [proxies[1] as string]: lockedSocks.bytes() - (before[1] as number),
  });
  await host.host.close(session.sessionId);
});

test('a wrong password fails, and nothing falls back to the session’s proxy', async () => {
  const session = await host.open(newRequest(at('http', own.port)));
  const asked = own.asked.length;
  const browser = await chromium.connectOverCDP(session.url);
  const wrong = { username: 'ann', password: 'wrong' };
  const { page } = await openContext(browser, { server: `http://127.0.0.1:${squid.port}`, ...wrong });
  const outcome = await page.goto(`${web.origin}/echo`).then(
    (answer) => answer?.status(),
    (error: Error) => error.message,
  );
  expect(String(outcome)).toMatch(/407|ERR_/);
  await expect(page.goto('https://secure.test/')).rejects.toThrow(/ERR_/);
  expect(own.asked.slice(asked).filter((line) => !line.includes('.invalid'))).toEqual([]);
  const use = report(session.sessionId).proxies?.at(-1);
  expect(use?.failures.credentials).toBeGreaterThan(0);
  await browser.close();
  await host.host.close(session.sessionId);
});

test('what cannot be a proxy is refused with the reason, and there is a limit', {
  tags: 'slow',
}, async () => {
  await using bad = await startBadProxies();
  const session = await host.open(newRequest(at('http', own.port)));
  const browser = await chromium.connectOverCDP(session.url);
  const cdp = await browser.newBrowserCDPSession();
  const create = (proxyServer: string) => cdp.send('Target.createBrowserContext', { proxyServer });
  await expect(create('direct://')).rejects.toThrow('names none');
  await expect(create('http=a:1;https=b:2')).rejects.toThrow('names several proxies');
  await expect(create('http://192.0.2.1:80')).rejects.toThrow('not allowed');
  await expect(create('name:other')).rejects.toThrow('not usable');
  await expect(create(`http://127.0.0.1:${bad.refuses}`)).rejects.toThrow('refused the connection');
  const made: string[] = [];
  for (let i = 0; i < maxProxyContexts; i++)
    made.push((await create(`socks5://127.0.0.1:${socks.port}`)).browserContextId);
  await expect(create(`socks5://127.0.0.1:${socks.port}`)).rejects.toThrow('Close one first');
  await cdp.send('Target.disposeBrowserContext', { browserContextId: made[0] as string });
  await create(`socks5://127.0.0.1:${socks.port}`);
  expect(report(session.sessionId).proxies).toHaveLength(3);
  await browser.close();
  // They were not to end with their client.
  const again = await chromium.connectOverCDP(session.url);
  const { browserContextIds } = await (await again.newBrowserCDPSession()).send('Target.getBrowserContexts');
  expect(browserContextIds).toHaveLength(maxProxyContexts);
  await again.close();
  await host.host.close(session.sessionId);
});

test('a headful browser has contexts with proxies too, and they end with their client', {
  tags: 'slow',
}, async () => {
  const session = await host.open(newRequest(at('http', own.port), { headless: false }));
  const browser = await chromium.connectOverCDP(session.url);
  const { page } = await openContext(browser, { server: `socks5://127.0.0.1:${socks.port}` });
  expect((await page.goto(`${web.origin}/echo`))?.status()).toBe(200);
  await browser.close();
  const again = await chromium.connectOverCDP(session.url);
  const cdp = await again.newBrowserCDPSession();
  await expect
    .poll(async () => (await cdp.send('Target.getBrowserContexts')).browserContextIds.length, {
      timeout: 20_000,
    })
    .toBe(0);
  await again.close();
  await host.host.close(session.sessionId);
});

test('a session changes its proxy while it runs: pages and the CDP URL stay', async () => {
  await using next = await startCountingProxy();
  const session = await host.open(newRequest(at('http', own.port)));
  const { sessionId } = session;
  const browser = await chromium.connectOverCDP(session.url);
  const page = (await browser.contexts()[0]?.newPage()) as Awaited<ReturnType<Browser['newPage']>>;
  await page.goto('http://a.test/');
  const { signal } = new AbortController();
  await expect(host.host.changeProxy(sessionId, at('http', 1), signal)).rejects.toMatchObject({
    code: 'PROXY_UNREACHABLE',
  });
  expect((await page.reload())?.status()).toBe(200);
  const before = ownBytes();
  expect(
    await host.host.changeProxy(sessionId, at('http', next.port, { label: 'name:next' }), signal),
  ).toEqual({});
  const asked = own.asked.length;
  await page.goto('http://b.test/');
  expect(await page.title()).toBe('site');
  expect(own.asked).toHaveLength(asked);
  expect(ownBytes()).toBe(before);
  expect(next.asked).toContain('GET http://b.test/');
  await browser.close();
  await host.host.close(sessionId);
  expect(await host.host.changeProxy(sessionId, at('http', next.port), signal)).toBeUndefined();
});
