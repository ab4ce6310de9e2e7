import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { makeCertificates } from '../fixtures/network/certificates.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { scenarios } from './playwright-scenarios.ts';
import { type PlaywrightSession, type PlaywrightSite, startPlaywrightSite } from './playwright-session.ts';

watchLeaks({ wholeFile: true });

let site: PlaywrightSite;
let session: PlaywrightSession;
let browser: Browser;

beforeAll(async () => {
  site = await startPlaywrightSite();
  session = await site.open();
  browser = await chromium.connect(session.playwrightUrl);
});
afterAll(async () => {
  await browser.close();
  await site[Symbol.asyncDispose]();
});

const defaultContext = (of = browser) => of.contexts()[0] ?? expect.fail('there is no default context');

/** They take seconds. All versions have them in playwright-minors.test.ts. */
const long = ['uploads 80 MB', 'records a video'];

for (const [name, run] of Object.entries(scenarios)) {
  test(`over connect() it ${name}`, { tags: long.includes(name) ? ['slow'] : [] }, async () => {
    const context = defaultContext();
    const page = await context.newPage();
    await run({ browser, context, page, web: site.web, scratch: site.scratch.path });
    await page.close();
  });
}

test('clients of both kinds see the same pages, and one that leaves closes nothing', async () => {
  const page = await defaultContext().newPage();
  await page.setContent(
    '<title>shared</title><button onclick="this.textContent = this.textContent + 1">x</button>',
  );
  const second = await chromium.connect(session.playwrightUrl);
  const overCdp = await chromium.connectOverCDP(session.url);
  for (const other of [second, overCdp]) {
    const titles = await Promise.all(
      defaultContext(other)
        .pages()
        .map(async (each) => [await each.title(), each] as const),
    );
    const [, same] = titles.find(([title]) => title === 'shared') ?? expect.fail('it does not see the page');
    await same.getByRole('button').click();
    await other.close();
  }
  expect(await page.getByRole('button').textContent()).toBe('x11');
  expect(browser.isConnected()).toBe(true);
  await page.close();
});

test('a download is in the list of files too', async () => {
  const page = await defaultContext().newPage();
  await page.goto(site.web.origin);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.evaluate(`Object.assign(document.createElement('a'), {
      href: URL.createObjectURL(new Blob(['listed'])), download: 'listed.txt' }).click()`),
  ]);
  await download.path().catch(() => {}); // Playwright tells its path only to clients on the same machine.
  expect(await download.failure()).toBeNull();
  const answer = await fetch(`${session.url.replace('ws', 'http')}/files/listed.txt`);
  expect(await answer.text()).toBe('listed');
  await page.close();
});

test("requests of the client's own leave by the proxy, and are in the ledger", async () => {
  const { web, squid, host } = site;
  const path = `/bytes/${100_000}`;
  const before = await host.host.traffic(session.sessionId);
  const answers = await Promise.all([
    defaultContext().request.get(web.origin + path),
    browser.newContext().then(async (context) => {
      try {
        return await context.request.get(web.origin + path);
      } finally {
        await context.close();
      }
    }),
  ]);
  expect(answers.map((answer) => answer.status())).toEqual([200, 200]);
  const seen = web.requests.filter((request) => request.path === path);
  expect(seen.map(({ headers }) => headers.via)).toEqual(answers.map(() => expect.stringContaining('squid')));
  await expect
    .poll(async () => (await squid.accessLog()).filter(({ target }) => target.endsWith(path)).length)
    .toBe(2);
  const after = await host.host.traffic(session.sessionId);
  expect((after?.bytesDown ?? 0) - (before?.bytesDown ?? 0)).toBeGreaterThan(200_000);
});

test('a context has a proxy of its own, and none of its requests goes through another', async () => {
  const { web, squid } = site;
  await expect(browser.newContext({ proxy: { server: 'http://127.0.0.1:9' } })).rejects.toThrow('refused');
  const context = await browser.newContext({ proxy: { server: squid.url } });
  const page = await context.newPage();
  expect((await page.goto(`${web.origin}/echo/own`))?.status()).toBe(200);
  const { destinations = [] } = (await site.host.host.traffic(session.sessionId)) ?? {};
  expect(destinations.some(({ proxy }) => proxy === `http://${squid.url}`)).toBe(true);
  await expect(context.request.get(`${web.origin}/echo/request`)).rejects.toThrow('proxy of its own');
  expect(web.requests.some((request) => request.path === '/echo/request')).toBe(false);
  await context.close();
});

test('requests to HTTPS sites go through a tunnel of the proxy', async () => {
  const { certFile, keyFile } = await makeCertificates(site.scratch.path);
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  const server = createServer({ cert, key }, (_request, response) => response.end('over TLS'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const target = `localhost:${(server.address() as AddressInfo).port}`;
  const { request } = defaultContext();
  await expect(request.get(`https://${target}/`)).rejects.toThrow('certificate');
  const answer = await request.get(`https://${target}/`, { ignoreHTTPSErrors: true });
  expect(await answer.text()).toBe('over TLS');
  const { destinations = [] } = (await site.host.host.traffic(session.sessionId)) ?? {};
  expect(destinations.find(({ port }) => target.endsWith(`:${port}`))).toMatchObject({ tunnels: 2 });
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

test('a client of another version is told which ones there are, and what to use instead', async () => {
  for (const [userAgent, client] of [
    ['Playwright/1.40.0 (x64; debian 12) node/24.11', 'This client is Playwright 1.40'],
    ['curl/8', 'This client does not say its Playwright version'],
  ]) {
    const socket = new WebSocket(session.playwrightUrl, { headers: { 'user-agent': userAgent } });
    socket.on('error', () => {});
    const [, answer] = await once(socket, 'unexpected-response');
    expect(answer.statusCode).toBe(428);
    let body = '';
    for await (const chunk of answer) body += chunk;
    expect(body).toContain(`${client}, and Playwright 1.61, 1.62,`);
    expect(body).toContain('connectOverCDP');
  }
  const shown = chromium.connect(session.playwrightUrl, { headers: { 'user-agent': 'Playwright/2.7.0' } });
  await expect(shown).rejects.toThrow('This client is Playwright 2.7, and Playwright 1.61');
});
