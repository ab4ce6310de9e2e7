// @module-tag slow

import { chromium, type Page } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineTimeZone } from '../../apps/host/src/profile/country.ts';
import { call, type TestAccount } from '../fixtures/gateway/gateway.ts';
import { type SharedService, sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { type SignalServer, startSignalServer } from './signal-server.ts';
import { type Signals, signalsExpression } from './signals.ts';

watchLeaks();

let site: SignalServer;
let service: SharedService;
let account: TestAccount;

beforeAll(async () => {
  site = await startSignalServer();
  service = await sharedService();
  account = await service.account({ creates_per_minute: 1000 });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

interface Opened extends AsyncDisposable {
  url: string;
  params: any;
}

async function open(params: Record<string, string>): Promise<Opened> {
  const opened = await account.connect({ headless: 'true', ...params });
  expect(opened.status, opened.text).toBe(200);
  const id = opened.headers.get('x-session-id') ?? '';
  const status = await account.get(`/api/browser/${id}/status`);
  return {
    url: opened.text,
    params: status.json.browserParams,
    [Symbol.asyncDispose]: async () => void (await account.close(id)),
  };
}

const signalsOf = async (page: { evaluate(script: string): Promise<unknown> }) =>
  (await page.evaluate(signalsExpression)) as Signals;

describe('a tab behind another', () => {
  /** How it looks from inside while another tab is in front, and how often a 10 ms timer ran in 500 ms. */
  async function behind(forced: string): Promise<Record<string, unknown>> {
    await using session = await open({ force_visibility: forced, headless: 'false' });
    const browser = await puppeteer.connect({ browserWSEndpoint: session.url, defaultViewport: null });
    const page = await browser.newPage();
    await page.goto(`${site.origin}/frame?name=alone`);
    await page.evaluate(`globalThis.changes = 0;
      document.addEventListener('visibilitychange', () => { changes += 1; });`);
    const other = await browser.newPage();
    await other.bringToFront();
    if (forced === 'false') {
      await page.waitForFunction("document.visibilityState === 'hidden'", { polling: 20 });
    }
    const seen = await page.evaluate(`new Promise((resolve) => {
      let ticks = 0;
      const began = performance.now();
      const tick = () => {
        ticks += 1;
        if (performance.now() - began < 1500) setTimeout(tick, 10);
        else resolve({ state: document.visibilityState, focused: document.hasFocus(), changes, ticks });
      };
      tick();
    })`);
    await browser.disconnect();
    return seen as Record<string, unknown>;
  }

  test('is hidden, unfocused and slow, as in any browser', { tags: 'slow' }, async () => {
    const seen = await behind('false');
    expect(seen).toMatchObject({ state: 'hidden', focused: false, changes: 1 });
    expect(seen['ticks']).toBeLessThan(10);
  });

  test('with force_visibility is visible, focused and as fast as in front, and nothing ever changes', async () => {
    const seen = await behind('true');
    expect(seen).toMatchObject({ state: 'visible', focused: true, changes: 0 });
    expect(seen['ticks']).toBeGreaterThan(40);
  });
});

describe("a client's own emulation", () => {
  test('wins in a Playwright context that sets it; what it does not set, and other contexts, stay as they are', {
    tags: 'slow',
  }, async () => {
    await using session = await open({ os: 'macos', browser_language: 'de-DE,de' });
    const browser = await chromium.connectOverCDP(session.url);
    const context = await browser.newContext({
      userAgent: 'Mozilla/5.0 Mine/1.0',
      locale: 'fr-FR',
      timezoneId: 'Asia/Tokyo',
      viewport: { width: 640, height: 480 },
    });
    const own = await context.newPage();
    await own.goto(`${site.origin}/frame?name=alone`);
    const mine = await signalsOf(own);
    expect(mine).toMatchObject({
      userAgent: 'Mozilla/5.0 Mine/1.0',
      locale: 'fr-FR',
      language: 'fr-FR',
      timeZone: 'Asia/Tokyo',
      processors: session.params.profile.hardware.processors,
      window: { inner: { width: 640, height: 480 } },
    });
    expect(site.requests.findLast(({ path }) => path === '/frame')?.headers['user-agent']).toBe(
      mine.userAgent,
    );
    const ordinary = (await browser.contexts()[0]?.newPage()) as Page;
    await ordinary.goto(`${site.origin.replace('localhost', '127.0.0.1')}/frame?name=alone`);
    expect(await signalsOf(ordinary)).toMatchObject({
      userAgent: session.params.profile.userAgent,
      locale: 'de-DE',
      languages: ['de-DE', 'de'],
      timeZone: machineTimeZone() ?? 'Europe/Berlin',
    });
    await browser.close();
  });

  test('ends when the client leaves: the page is the device again', async () => {
    await using session = await open({ os: 'android', browser_language: 'de-DE' });
    const { profile } = session.params;
    const first = await puppeteer.connect({ browserWSEndpoint: session.url, defaultViewport: null });
    const page = await first.newPage();
    await page.goto(`${site.origin}/frame?name=alone`);
    const before = await signalsOf(page);
    const cdp = await page.createCDPSession();
    await page.setViewport({ width: 800, height: 600 });
    await page.emulateTimezone('Asia/Tokyo');
    await cdp.send('Emulation.setLocaleOverride', { locale: 'fr-FR' });
    await page.setUserAgent({ userAgent: 'Mine/1.0' });
    expect(await signalsOf(page)).toMatchObject({
      userAgent: 'Mine/1.0',
      timeZone: 'Asia/Tokyo',
      locale: 'fr-FR',
      window: { inner: { width: 800, height: 600 } },
    });
    await first.disconnect();
    const second = await puppeteer.connect({ browserWSEndpoint: session.url, defaultViewport: null });
    const again = (await second.pages()).find((candidate) => candidate.url().includes('/frame'));
    if (!again) throw new Error('the page is gone');
    await expect.poll(() => signalsOf(again)).toEqual(before);
    expect(before).toMatchObject({ userAgent: profile.userAgent, locale: 'de-DE' });
    await second.disconnect();
  });

  test('wins on a connection to one page too, and ends with it', { tags: 'slow' }, async () => {
    await using session = await open({ os: 'macos', browser_language: 'de-DE' });
    const browser = await puppeteer.connect({ browserWSEndpoint: session.url, defaultViewport: null });
    const [page] = await browser.pages();
    if (!page) throw new Error('no page');
    await page.goto(`${site.origin}/frame?name=alone`);
    const before = await signalsOf(page);
    const { json: pages } = await call(`${session.url.replace(/^ws/, 'http')}/json/list`);
    const socket = new WebSocket(pages[0].webSocketDebuggerUrl);
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    const commands = {
      'Emulation.setLocaleOverride': { locale: 'fr-FR' },
      'Emulation.setTimezoneOverride': { timezoneId: 'Asia/Tokyo' },
      'Emulation.setHardwareConcurrencyOverride': { hardwareConcurrency: 3 },
      'Emulation.setUserAgentOverride': { userAgent: 'Mine/1.0' },
    };
    for (const [id, [method, params]] of Object.entries(commands).entries()) {
      const answered = new Promise((resolve) => {
        socket.addEventListener('message', ({ data }) => resolve(JSON.parse(data)), { once: true });
      });
      socket.send(JSON.stringify({ id, method, params }));
      expect(await answered).toEqual({ id, result: {} });
    }
    const mine = { userAgent: 'Mine/1.0', timeZone: 'Asia/Tokyo', locale: 'fr-FR', processors: 3 };
    expect(await signalsOf(page)).toMatchObject(mine);
    socket.close();
    await expect.poll(() => signalsOf(page)).toEqual(before);
    await browser.disconnect();
  });
});

test('a page that is opened at an address says who it is in its first request', async () => {
  await using session = await open({ os: 'macos' });
  const browser = await puppeteer.connect({ browserWSEndpoint: session.url, defaultViewport: null });
  const cdp = await browser.target().createCDPSession();
  void cdp.detach();
  const root = await chromium.connectOverCDP(session.url);
  const raw = await root.newBrowserCDPSession();
  await raw.detach();
  await root.close();
  site.requests.length = 0;
  const socket = new WebSocket(session.url);
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const answered = new Promise<string>((resolve) => {
    socket.addEventListener(
      'message',
      ({ data }) => String(data).includes('"id":7') && resolve(String(data)),
    );
  });
  const url = `${site.origin}/frame?name=direct`;
  socket.send(JSON.stringify({ id: 7, method: 'Target.createTarget', params: { url } }));
  expect(await answered).toContain('targetId');
  await expect.poll(() => site.requests.find(({ path }) => path === '/frame')).toBeDefined();
  const { headers } = site.requests.find(({ path }) => path === '/frame') as { headers: object };
  expect(headers).toMatchObject({
    'user-agent': session.params.profile.userAgent,
    'sec-ch-ua-platform': '"macOS"',
  });
  socket.close();
  await browser.disconnect();
});

/** What Playwright and Puppeteer both have. */
interface AnyPage {
  goto(url: string): Promise<unknown>;
  evaluate(script: string): Promise<unknown>;
  waitForNavigation(options: { timeout: number }): Promise<unknown>;
}

describe('pages that a site wants made ready', () => {
  async function look(session: Opened, page: AnyPage): Promise<void> {
    site.requests.length = 0;
    await page.goto(`${site.origin}/speculating`);
    // A new renderer hears of its window's size a moment after its page has loaded.
    const { window: _, ...expected } = await signalsOf(page);
    await expect.poll(requested).toContain('/prefetched');
    await page.evaluate("void (location.href = '/prefetched')");
    // No wait for the navigation: Puppeteer does not see that of a prefetched page, in any browser.
    await expect.poll(() => page.evaluate('location.pathname').catch(() => '')).toBe('/prefetched');
    expect(await page.evaluate('first')).toMatchObject(expected);
    await page.goto(`${site.origin}/speculating`);
    const there = page.waitForNavigation({ timeout: 60_000 });
    await page.evaluate("void (location.href = '/prerendered')");
    await there;
    expect(await page.evaluate('first')).toMatchObject(expected);
    expect(expected).toMatchObject({ userAgent: session.params.profile.userAgent, language: 'de-AT' });
    const said = site.requests.filter(({ path }) => path.startsWith('/pre'));
    expect(new Set(said.map(({ path }) => path))).toEqual(new Set(['/prefetched', '/prerendered']));
    for (const { headers } of said) {
      expect(headers).toMatchObject({
        'user-agent': expected.userAgent,
        'accept-language': 'de-AT,de;q=0.9,fr;q=0.8',
        'sec-ch-ua-platform': '"macOS"',
      });
    }
  }
  const requested = () => site.requests.map(({ path }) => path);
  const params = { os: 'macos', browser_language: 'de-AT,fr' };

  test('are the device from their first request and script, with Playwright', async () => {
    await using session = await open(params);
    const browser = await chromium.connectOverCDP(session.url);
    await look(session, (await browser.contexts()[0]?.newPage()) as Page);
    await browser.close();
  });

  test('are so with Puppeteer, which sees them come', { tags: 'slow' }, async () => {
    await using session = await open(params);
    const browser = await puppeteer.connect({ browserWSEndpoint: session.url, defaultViewport: null });
    await look(session, await browser.newPage());
    await browser.disconnect();
  });
});

test('the browser itself says the same: over CDP and in its discovery', async () => {
  await using session = await open({ os: 'linux', browser_version_max: '140' });
  const { userAgent } = session.params.profile;
  expect(userAgent).toContain('Chrome/140.');
  const version = await call(`${session.url.replace(/^ws/, 'http')}/json/version`);
  expect(version.json['User-Agent']).toBe(userAgent);
  const browser = await puppeteer.connect({ browserWSEndpoint: session.url });
  expect(await browser.userAgent()).toBe(userAgent);
  await browser.disconnect();
});

test('languages and time zone follow the country in the name of the proxy’s user', {
  tags: 'slow',
}, async () => {
  const { proxyUser, proxyPassword } = account;
  const { host } = new URL(service.proxyUrl);
  const proxy = `http://${proxyUser}-country-jp:${proxyPassword}@${host}`;
  await using session = await open({ proxy });
  expect(session.params.profile).toMatchObject({
    languages: ['ja-JP', 'ja', 'en-US', 'en'],
    uiLanguage: 'ja-JP',
    timeZone: 'Asia/Tokyo',
    country: 'JP',
  });
  const browser = await chromium.connectOverCDP(session.url);
  const page = (await browser.contexts()[0]?.newPage()) as Page;
  await page.goto(`${site.origin}/frame?name=alone`);
  expect(await signalsOf(page)).toMatchObject({
    language: 'ja-JP',
    locale: 'ja-JP',
    timeZone: 'Asia/Tokyo',
    offset: -540,
  });
  expect(site.requests.findLast(({ path }) => path === '/frame')?.headers['accept-language']).toBe(
    'ja-JP,ja;q=0.9,en-US;q=0.8,en;q=0.7',
  );
  await browser.close();
});

test('ui_language is the browser’s own: its surfaces speak it', async () => {
  await using session = await open({ ui_language: 'de' });
  const browser = await chromium.connectOverCDP(session.url);
  const page = (await browser.contexts()[0]?.newPage()) as Page;
  await page.goto('chrome://version');
  expect(await page.evaluate('document.documentElement.lang')).toBe('de');
  expect(await signalsOf(page)).toMatchObject({ locale: 'de', languages: ['en-US', 'en'] });
  await browser.close();
});

test('no shared worker runs before it was told what it is, with a client that lets each go by itself', {
  tags: 'slow',
}, async () => {
  await using session = await open({ os: 'macos' });
  const browser = await chromium.connectOverCDP(session.url);
  const page = (await browser.contexts()[0]?.newPage()) as Page;
  await page.goto(`${site.origin}/frame?name=alone`);
  const platforms = await page.evaluate(`(async () => {
    const script = \`const { platform } = navigator;
      onconnect = ({ ports: [port] }) => { port.postMessage(platform); close(); };\`;
    const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
    const one = (name) => new Promise((resolve) => {
      new SharedWorker(url, { name }).port.onmessage = ({ data }) => resolve(data);
    });
    const platforms = [];
    for (let i = 0; i < 100; i++) platforms.push(...await Promise.all([one(i + 'a'), one(i + 'b'), one(i + 'c')]));
    return platforms;
  })()`);
  expect(platforms).toEqual(Array.from({ length: 300 }, () => 'MacIntel'));
  await browser.close();
});
