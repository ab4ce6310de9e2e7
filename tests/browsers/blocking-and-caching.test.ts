// @module-tag slow

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BareClient } from '../fidelity/both-browsers.ts';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { startWorldProxy, type WorldProxy } from '../fixtures/network/world-proxy.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { type Service, startService } from '../fixtures/service/service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { page, respond } from './saving-site.ts';

watchLeaks({ wholeFile: true });

/** The whole service: what a create asks for, its record, and what the next session has of it. */
const all = new AsyncDisposableStack();
let world: WorldProxy;
let service: Service;
let account: TestAccount;

beforeAll(async () => {
  const { path } = all.use(await scratchDirectory('lists'));
  const list = join(path, 'ads.txt');
  writeFileSync(list, '||ads.test^\n||count.test^$third-party\n');
  world = all.use(await startWorldProxy(respond));
  service = all.use(
    await startService({
      env: {
        TURNPIKE_BLOCK_LISTS: `ads:${list}`,
        TURNPIKE_PROXY_ALLOW: '127.0.0.0/8',
        // Less room for messages, and more for the page that sends a large body.
        TURNPIKE_HOST_SESSION_BUFFERS: '128',
        TURNPIKE_HOST_SESSION_MEMORY: '4096',
      },
    }),
  );
  account = await service.account();
});
afterAll(() => all.disposeAsync());

async function open(params: object): Promise<{ id: string; cdpUrl: string }> {
  world.requests.length = 0;
  const { status, json } = await account.create({ headless: true, proxy: world.url, ...params });
  expect(status).toBe(200);
  return { id: json.browserId, cdpUrl: json.cdpUrl };
}

const asked = () => world.requests.map(({ host, path }) => `${host}${path}`);
async function record(id: string) {
  const { sessions } = (await account.get('/user/api/sessions')).json;
  return sessions.find(({ browserId }: { browserId: string }) => browserId === id);
}

test('the record has what was refused and what came from the cache, and the next session begins with it', async () => {
  const visit = async () => {
    const session = await open({ cache: 'shop', block: ['images', 'ads'] });
    const browser = await chromium.connectOverCDP(session.cdpUrl);
    const first = await browser.contexts()[0]?.newPage();
    await first?.goto('http://localhost/shop.html');
    await first?.waitForFunction('window.done');
    const text = await first?.textContent('p');
    await browser.close();
    expect((await account.close(session.id)).json).toMatchObject({ status: 'CLOSED' });
    return { text, ...session };
  };
  const first = await visit();
  expect(asked()).toContain('localhost/large.js');
  expect(await record(first.id)).toMatchObject({
    bytesFromCache: 0,
    refusedRequests: { images: 1, ads: 0 },
    browserParams: { cache: 'shop', block: ['images', 'ads'] },
    metadata: { turnpike: { cacheSaved: true } },
  });
  const second = await visit();
  expect(second.text).toBe(first.text);
  expect(asked()).not.toContain('localhost/large.js');
  const { bytesFromCache, bytesDown } = await record(second.id);
  expect(bytesFromCache).toBeGreaterThan(page.largeBytes);
  expect(bytesDown).toBeLessThan((await record(first.id)).bytesDown - page.largeBytes);
  const { caches } = (await account.get('/user/api/caches')).json;
  expect(caches).toMatchObject([{ name: 'shop', inUse: false }]);
});

test('a request with a body that the host has no room for is judged, and sent', async () => {
  const session = await open({ block: ['ads'] });
  // A client with the Network domain enabled would be told of the body too, and closed.
  using client = await BareClient.connect(session.cdpUrl);
  const { page: first } = await client.openPage('http://localhost/own.txt');
  const post = (url: string) =>
    client.evaluate(
      `fetch('${url}', { method: 'POST', mode: 'no-cors', body: 'x'.repeat(80_000_000) }).then(() => 'sent', String)`,
      first,
    );
  expect(await post('http://count.test/posted')).toMatch(/^TypeError/);
  expect(await post('http://localhost/posted')).toBe('sent');
  await account.close(session.id);
  expect(asked().filter((url) => url.endsWith('/posted'))).toEqual(['localhost/posted']);
  expect(await record(session.id)).toMatchObject({ refusedRequests: { ads: 1 } });
});

test('a cache and a profile of the same name go together', async () => {
  const work = async (script: string) => {
    const session = await open({ cache: 'both', profile: 'both', saveProfile: true });
    const browser = await chromium.connectOverCDP(session.cdpUrl);
    const first = await browser.contexts()[0]?.newPage();
    await first?.goto('http://localhost/shop.html');
    const result = await first?.evaluate(script);
    await browser.close();
    await account.close(session.id);
    const { turnpike } = (await record(session.id)).metadata;
    expect(turnpike).toMatchObject({ cacheSaved: true, profileSaved: true });
    return result;
  };
  await work('localStorage.setItem("a", "kept")');
  expect(await work('localStorage.getItem("a")')).toBe('kept');
  expect(asked()).not.toContain('localhost/large.js');
});

test('Puppeteer’s interception and the service’s work together: each request passes both', async () => {
  const session = await open({ block: ['images', 'ads'] });
  const browser = await puppeteer.connect({ browserWSEndpoint: session.cdpUrl, defaultViewport: null });
  const [first] = await browser.pages();
  if (!first) throw new Error('The session has no page');
  await first.setRequestInterception(true);
  const seen: string[] = [];
  first.on('request', (request) => {
    seen.push(new URL(request.url()).pathname);
    if (request.url().endsWith('/routed.js')) void request.respond({ body: 'window.routed = true' });
    else if (request.url().endsWith('/style.css')) void request.abort();
    else void request.continue();
  });
  await first.goto('http://localhost/all.html');
  await first.waitForFunction('window.done');
  expect(await first.evaluate('window.routed')).toBe(true);
  expect(seen).toEqual(expect.arrayContaining(['/all.html', '/script.js', '/routed.js', '/style.css']));
  expect(asked()).toEqual(expect.arrayContaining(['localhost/all.html', 'localhost/script.js']));
  for (const path of ['/image.png', '/style.css', '/routed.js', '/ad.js']) {
    expect(asked().filter((url) => url.endsWith(path))).toEqual([]);
  }
  await browser.disconnect();
  await account.close(session.id);
});

test('a page opened in a context of its own, by Playwright with routes, has what is blocked blocked too', async () => {
  const session = await open({ block: 'images,stylesheets,fonts,media' });
  const browser = await chromium.connectOverCDP(session.cdpUrl);
  const context = await browser.newContext();
  const routed: string[] = [];
  await context.route('**/*', (route) => {
    routed.push(route.request().url());
    return route.continue();
  });
  const own = await context.newPage();
  await own.goto('http://localhost/all.html');
  await own.waitForFunction('window.done');
  expect(routed).toContain('http://localhost/script.js');
  expect(asked()).toContain('localhost/script.js');
  expect(asked().filter((url) => /\.(?:png|css|woff2|mp4|ico)$/.test(url))).toEqual([]);
  await browser.close();
  await account.close(session.id);
});

test('what a service worker, a shared worker or a worker of a frame fetches is refused too', async () => {
  const session = await open({ block: ['images', 'media', 'fonts', 'stylesheets', 'ads'] });
  const browser = await chromium.connectOverCDP(session.cdpUrl);
  const first = await browser.contexts()[0]?.newPage();
  await first?.goto('http://localhost/workers.html');
  await first?.waitForFunction('window.done');
  expect(asked()).toEqual(
    expect.arrayContaining(['localhost/own.txt?service', 'localhost/own.txt?shared', 'other.test/own.txt']),
  );
  expect(asked().filter((url) => /^(?:ads|count)\.|\.(?:png|css|woff2|mp4)$/.test(url))).toEqual([]);
  await browser.close();
  await account.close(session.id);
  const { refusedRequests } = await record(session.id);
  expect(Object.values(refusedRequests as Record<string, number>).every((count) => count > 0)).toBe(true);
});

test('a page can send a lot where every request is looked at', async () => {
  const session = await open({ block: ['ads'] });
  const browser = await chromium.connectOverCDP(session.cdpUrl);
  const first = await browser.contexts()[0]?.newPage();
  await first?.goto('http://localhost/shop.html');
  const send =
    'fetch("/own.txt", { method: "POST", body: "x".repeat(20_000_000) }).then(({ status }) => status)';
  expect(await first?.evaluate(send)).toBe(200);
  await browser.close();
  await account.close(session.id);
  expect((await record(session.id)).bytesUp).toBeGreaterThan(20_000_000);
});

test('a create is refused where there is no list for what it asks for', async () => {
  const { status, json } = await account.create({ headless: true, proxy: world.url, block: ['trackers'] });
  expect([status, json.error]).toEqual([
    400,
    'Malformed browser params: block has trackers, for which this service has no filter list',
  ]);
});
