import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { billedFor, call, type TestAccount } from '../fixtures/gateway/gateway.ts';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';
import { type SharedService, sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach } from '../fixtures/suite/matrix.ts';

watchLeaks();

let web: WebServer;
let service: SharedService;
let account: TestAccount;

beforeAll(async () => {
  web = await startWebServer();
  service = await sharedService();
  account = await service.account({ creates_per_minute: 1000 });
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await web[Symbol.asyncDispose]();
});

const status = async (id: string) => (await account.get(`/api/browser/${id}/status`)).json.status;

describeEach({ quick: ['true'], slow: ['false'] })('headless=%s:', (headless) => {
  test('Playwright creates, drives, disconnects, reconnects to the same page state, and closes', async () => {
    const opened = await account.connect({ headless });
    const id = opened.headers.get('x-session-id') ?? '';
    const first = await chromium.connectOverCDP(opened.text);
    const page = await first.contexts()[0]?.newPage();
    await page?.goto(`${web.origin}/`);
    await page?.evaluate(() => Object.assign(globalThis, { kept: 'still here' }));
    expect(await page?.evaluate(() => Reflect.get(navigator, 'webdriver'))).toBe(false);
    expect((await page?.screenshot())?.length).toBeGreaterThan(1000);
    await first.close();
    expect(await status(id)).toBe('ACTIVE');

    const again = await account.connect({ sessionId: id });
    expect(again.text).toBe(opened.text);
    const second = await chromium.connectOverCDP(again.text);
    const pages = second.contexts()[0]?.pages() ?? [];
    const kept = pages.find((candidate) => candidate.url() === `${web.origin}/`);
    expect(await kept?.evaluate(() => Reflect.get(globalThis, 'kept'))).toBe('still here');
    await second.close();
    expect((await account.close(id)).json).toEqual({ browserId: id, status: 'CLOSED' });
    await expect(chromium.connectOverCDP(opened.text)).rejects.toThrow('404');
  });

  test('Puppeteer creates, drives, disconnects, reconnects to the same page state, and closes', async () => {
    const opened = await account.connect({ headless });
    const id = opened.headers.get('x-session-id') ?? '';
    const first = await puppeteer.connect({ browserWSEndpoint: opened.text });
    const page = await first.newPage();
    await page.goto(`${web.origin}/`);
    await page.evaluate(() => Object.assign(globalThis, { kept: 'still here' }));
    await first.disconnect();
    expect(await status(id)).toBe('ACTIVE');

    const again = await account.connect({ sessionId: id });
    const second = await puppeteer.connect({ browserWSEndpoint: again.text });
    const kept = (await second.pages()).find((candidate) => candidate.url() === `${web.origin}/`);
    expect(await kept?.evaluate(() => Reflect.get(globalThis, 'kept'))).toBe('still here');
    await second.disconnect();
    expect((await account.close(id)).json).toEqual({ browserId: id, status: 'CLOSED' });
  });
});

test('Playwright and Puppeteer share one browser; each sees the other’s pages, and one leaving disturbs nobody', async () => {
  const opened = await account.connect({ headless: 'true' });
  const playwright = await chromium.connectOverCDP(opened.text);
  const pptr = await puppeteer.connect({ browserWSEndpoint: opened.text });
  const made = await pptr.newPage();
  await made.goto(`${web.origin}/echo?shared`);
  await expect
    .poll(() =>
      playwright
        .contexts()[0]
        ?.pages()
        .map((page) => page.url()),
    )
    .toContain(`${web.origin}/echo?shared`);
  await playwright.close();
  expect(await made.evaluate(() => 6 * 7)).toBe(42);
  await pptr.disconnect();
  await account.close(opened.headers.get('x-session-id') ?? '');
});

test('closing over CDP (browser.close) ends the session as DEAD, billed', async () => {
  const opened = await account.connect({ headless: 'true' });
  const id = opened.headers.get('x-session-id') ?? '';
  const browser = await puppeteer.connect({ browserWSEndpoint: opened.text });
  await browser.close();
  await expect.poll(() => status(id)).toBe('DEAD');
  const [record] = (await account.get('/user/api/sessions')).json.sessions;
  const billedSeconds = billedFor(record.durationSeconds);
  expect(record).toMatchObject({ browserId: id, status: 'DEAD', billedSeconds });
});

test('a close ends open sockets with 4000 CLOSED', async () => {
  const opened = await account.connect({ headless: 'true' });
  const socket = new WebSocket(opened.text);
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve));
  await account.close(opened.headers.get('x-session-id') ?? '');
  expect(await closed).toMatchObject({ code: 4000, reason: 'CLOSED' });
});

describe('other ways to connect:', () => {
  test('discovery: the http form of the CDP URL, with both clients', async () => {
    const opened = await account.connect({ headless: 'true' });
    const http = opened.text.replace(/^ws/, 'http');
    const version = (await call(`${http}/json/version`)).json;
    expect(version.webSocketDebuggerUrl).toBe(opened.text);
    const playwright = await chromium.connectOverCDP(http);
    expect(playwright.version()).toMatch(/^\d+\./);
    await playwright.close();
    const pptr = await puppeteer.connect({ browserURL: `${http}/`.slice(0, -1) }).catch((error) => error);
    // Puppeteer drops the path of a browserURL, so it takes the WebSocket form.
    if (!(pptr instanceof Error)) await pptr.disconnect();
    await account.close(opened.headers.get('x-session-id') ?? '');
  });

  test('ws://gateway/connect?… as the endpoint, with both clients', async () => {
    const query = new URLSearchParams({ token: account.key, proxy: account.proxy, headless: 'true' });
    const endpoint = `${service.gatewayUrl.replace(/^http/, 'ws')}/connect?${query}`;
    const playwright = await chromium.connectOverCDP(endpoint);
    const page = await playwright.contexts()[0]?.newPage();
    await page?.goto(`${web.origin}/`);
    await playwright.close();
    const pptr = await puppeteer.connect({ browserWSEndpoint: endpoint });
    await (await pptr.newPage()).goto(`${web.origin}/`);
    await pptr.disconnect();
    const running = (await account.get('/api/browsers')).json;
    expect(running).toHaveLength(2);
    for (const { browserId } of running) await account.close(browserId);
  });

  test('Playwright’s own protocol is refused there with a sentence, and opens nothing', async () => {
    const query = new URLSearchParams({ token: account.key, proxy: account.proxy, headless: 'true' });
    const endpoint = `${service.gatewayUrl.replace(/^http/, 'ws')}/connect?${query}`;
    const refused = chromium.connect(endpoint, { timeout: 30_000 });
    await expect(refused).rejects.toThrow(/Use Playwright's chromium\.connectOverCDP\(\)/);
    expect((await account.get('/api/browsers')).json).toEqual([]);
    expect((await account.get('/user/api/limits')).json.active).toBe(0);
  });

  test('a session with close_on_disconnect ends by itself after its client', async () => {
    const opened = await account.connect({ headless: 'true', close_on_disconnect: '1' });
    const id = opened.headers.get('x-session-id') ?? '';
    const browser = await chromium.connectOverCDP(opened.text);
    await (await browser.contexts()[0]?.newPage())?.goto(`${web.origin}/`);
    expect((await account.get(`/api/browser/${id}/status`)).json).toMatchObject({
      status: 'ACTIVE',
      browserParams: { close_on_disconnect: 1 },
    });
    await browser.close();
    await expect.poll(() => status(id)).toBe('CLOSED');
  });
});
