// @module-tag slow

import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { TrafficReport } from '@turnpike/contract/traffic';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolverOf } from '../../apps/host/src/testing/resolve-proxy.ts';
import { newRequest, startTestHost, type TestHost } from '../../apps/host/src/testing/test-host.ts';
import { publish } from '../../bench/table.ts';
import { type CountingProxy, startCountingProxy } from '../fixtures/network/counting-proxy.ts';
import { listen } from '../fixtures/network/listen.ts';
import { startSocks } from '../fixtures/network/socks.ts';
import { startSquid } from '../fixtures/network/squid.ts';
import { startTap, type Tap } from '../fixtures/network/tap.ts';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks({ wholeFile: true });

const asked = process.env['TURNPIKE_PROXIES_SESSIONS'];
const sessions = Number(asked ?? 20);
const atOnce = 3;
const credentials = { username: 'ann', password: 'p@ss:w/rd' };
const never = new AbortController().signal;

const all = new AsyncDisposableStack();
let host: TestHost;
let web: WebServer;
/** They answer for every name by themselves: a session's own, a rule's, and the one that it changes to. */
let own: CountingProxy;
let ruled: CountingProxy;
let next: CountingProxy;
/** The wires to a real Squid and a real SOCKS server, both with a password. */
let squid: Tap;
let socks: Tap;
/** Nothing may connect to it: it is no proxy that anybody named. */
let canary: Server;
let caught = 0;

beforeAll(async () => {
  web = all.use(await startWebServer());
  own = all.use(await startCountingProxy());
  ruled = all.use(await startCountingProxy());
  next = all.use(await startCountingProxy());
  squid = all.use(await startTap(all.use(await startSquid(credentials)).port));
  socks = all.use(await startTap(all.use(await startSocks(credentials)).port));
  canary = createServer((socket) => {
    caught += 1;
    socket.on('error', () => {}).destroy();
  });
  await listen(canary);
  all.defer(async () => {
    canary.close();
    await once(canary, 'close');
  });
  const saved = { 'name:squid': at('http', squid.port, credentials) };
  host = all.use(await startTestHost({ seats: 10 }, undefined, undefined, resolverOf(saved)));
});
afterAll(() => all.disposeAsync());

function at(scheme: 'http' | 'socks5', port: number, more = {}) {
  return { scheme, host: '127.0.0.1', port, addresses: ['127.0.0.1'], ...more } as const;
}

const fetchText = (url: string) => fetch(url).then(async (answer) => (await answer.text()).length);

/** A session with a rule, two contexts with their own proxies, and a change of its own. */
async function useSession(number: number): Promise<TrafficReport> {
  const request = newRequest(at('http', own.port, { label: 'name:own' }));
  const rules = [{ hosts: ['*.cdn.test'], proxy: at('http', ruled.port, { label: 'name:ruled' }) }];
  const session = await host.open({ ...request, proxyRules: rules });
  const browser = await chromium.connectOverCDP(session.url);
  const page = await (await browser.newContext()).newPage();
  const bySquid = await browser.newContext({ proxy: { server: 'name://squid' } });
  // Playwright takes no credentials for SOCKS.
  const cdp = await browser.newBrowserCDPSession();
  const { browserContextId } = await cdp.send('Target.createBrowserContext', {
    proxyServer: `socks5://ann:p%40ss%3Aw%2Frd@127.0.0.1:${socks.port}`,
  });
  const size = 1000 + 137 * number;
  await page.goto('http://own.test/');
  expect(await page.evaluate(fetchText, `http://own.test/bytes/${size}`)).toBe(size);
  expect(await page.evaluate(fetchText, `http://a.cdn.test/bytes/${size}`)).toBe(size);
  const squidPage = await bySquid.newPage();
  await squidPage.goto(`${web.origin}/echo`);
  expect(await squidPage.evaluate(fetchText, `/bytes/${size}`)).toBe(size);
  await cdp.send('Target.createTarget', { url: `${web.origin}/bytes-of-socks/${size}`, browserContextId });
  // A request that is under way when the proxy changes.
  await page.evaluate(async () => {
    const answer = await fetch('http://own.test/stall/500');
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    for (let got = 0; got < 500; ) got += (await reader.read()).value?.length ?? 0;
    reader.read().catch(() => {});
  });
  await host.host.changeProxy(session.sessionId, at('http', next.port, { label: 'name:next' }), never);
  expect(await page.evaluate(fetchText, `http://own.test/bytes/${size}`)).toBe(size);
  expect(await page.evaluate(fetchText, `http://b.cdn.test/bytes/${size}`)).toBe(size);
  await expect
    .poll(() => web.requests.filter(({ path }) => path === `/bytes-of-socks/${size}`).length, {
      timeout: 20_000,
    })
    .toBeGreaterThan(0);
  await bySquid.close();
  await cdp.send('Target.disposeBrowserContext', { browserContextId });
  await browser.close();
  const { traffic } = (await host.host.close(session.sessionId)) ?? {};
  return traffic as TrafficReport;
}

test(`over ${sessions} sessions, each proxy counts what the ledger says of it, to the byte`, {
  timeout: 900_000,
}, async () => {
  const sums: Record<string, number> = {};
  const numbers = Array.from({ length: sessions }, (_, number) => number).values();
  const some = async () => {
    for (const number of numbers) {
      const { proxies = [], destinations, other, ...whole } = await useSession(number);
      const bytes = (uses: readonly { bytesUp: number; bytesDown: number }[]) =>
        uses.reduce((sum, { bytesUp, bytesDown }) => sum + bytesUp + bytesDown, 0);
      expect(bytes(proxies)).toBe(bytes([whole]));
      expect(bytes([...destinations, other])).toBe(bytes([whole]));
      for (const use of proxies) {
        expect(bytes(destinations.filter(({ proxy }) => proxy === use.proxy))).toBe(bytes([use]));
        sums[use.proxy] = (sums[use.proxy] ?? 0) + bytes([use]);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, some));
  const counted = (proxy: CountingProxy) => proxy.bytes().bytesUp + proxy.bytes().bytesDown;
  const bySocks = `socks5://ann:***@127.0.0.1:${socks.port}`;
  const otherSide = (): Record<string, number> => ({
    'name:own': counted(own),
    'name:ruled': counted(ruled),
    'name:next': counted(next),
    'name:squid': squid.bytes(),
    [bySocks]: socks.bytes(),
  });
  await expect.poll(otherSide, { timeout: 30_000 }).toEqual(sums);
  expect(own.asked.some((line) => line.includes('cdn.test'))).toBe(false);
  expect(ruled.asked.every((line) => /cdn\.test|\.invalid/.test(line))).toBe(true);
  expect(JSON.stringify(host.logs)).not.toMatch(/p@ss|p%40ss/);
  if (asked === undefined) return;
  const uses = {
    'name:own': "the sessions' own, an HTTP proxy, until the change",
    'name:next': 'the one that they change to, with a request under way',
    'name:ruled': "a rule's, for `*.cdn.test`",
    'name:squid': "a context's, by name: a real Squid with a password",
    [bySocks]: "a context's, by URL: a real SOCKS5 server with a password",
  };
  await publish(
    'several-proxies',
    'Bytes of each proxy, in the ledger and on its other side',
    ['proxy', 'ledger', 'other side', 'differ by'],
    Object.entries(uses).map(([label, use]) => {
      const [ledger, other] = [sums[label] ?? 0, otherSide()[label] ?? 0];
      return [use, ledger, other, ledger - other];
    }),
    `${sessions} sessions, ${atOnce} at a time, each with a rule, two contexts with proxies of their own and a change in ` +
      'mid-session. The three HTTP proxies count the bytes of their sockets; before Squid and the SOCKS server is a ' +
      "wire that counts. In each session, the bytes of its proxies and of its destinations add up to the session's. " +
      'Made by `TURNPIKE_PROXIES_SESSIONS=100 npx vitest run tests/traffic/several-proxies.test.ts`.',
  );
});

test('whatever contexts and rules are asked for, nothing but the proxies named is reached', async () => {
  const port = (canary.address() as { port: number }).port;
  const request = newRequest(at('http', own.port, { label: 'name:own' }));
  const rules = [
    { hosts: ['*.cdn.test', 'one.test'], proxy: at('http', ruled.port, { label: 'name:ruled' }) },
  ];
  const session = await host.open({ ...request, proxyRules: rules });
  const browser = await chromium.connectOverCDP(session.url);
  const cdp = await browser.newBrowserCDPSession();
  const create = (params: object) => cdp.send('Target.createBrowserContext', params as never);
  for (const proxyServer of [
    'direct://',
    `http=127.0.0.1:${port};https=127.0.0.1:${squid.port}`,
    `http://127.0.0.1:${squid.port},direct://`,
    `http://127.0.0.2:3128`,
    `socks5://127.0.0.1:${port};direct://`,
    `socks4://127.0.0.1:${port}`,
    `quic://127.0.0.1:${port}`,
    `http://[::1]:${port}`,
    `http://user@evil.test:${port}`,
  ])
    await expect(create({ proxyServer })).rejects.toThrow();
  const mark = [own, ruled].map(({ asked }) => asked.length);
  const { browserContextId } = await create({
    proxyServer: `http://ann:p%40ss%3Aw%2Frd@127.0.0.1:${squid.port}`,
    proxyBypassList: `*;127.0.0.1:${port};<local>`,
  });
  const { targetId } = await cdp.send('Target.createTarget', { url: `${web.origin}/echo`, browserContextId });
  await expect
    .poll(async () => (await cdp.send('Target.getTargetInfo', { targetId })).targetInfo.url, {
      timeout: 20_000,
    })
    .toBe(`${web.origin}/echo`);
  expect([own, ruled].map(({ asked }) => asked.length)).toEqual(mark);
  // A page cannot choose another way out by naming the forwarder's addresses: they are its proxy's to look for.
  const page = await (await browser.newContext()).newPage();
  await page.goto('http://start.test/');
  const urls = [
    ...['http://127.0.0.2:3128/', 'http://127.0.0.1:3128/', `http://127.0.0.1:${port}/`],
    ...[
      'http://ONE.test/',
      'http://one.test./',
      'http://x.CDN.test./',
      'http://cdn.test/',
      'http://notone.test/',
    ],
  ];
  for (const url of urls)
    await page.evaluate(
      (to) =>
        fetch(to, { mode: 'no-cors' })
          .then(() => {})
          .catch(() => {}),
      url,
    );
  const hosts = (proxy: CountingProxy, from = 0) =>
    proxy.asked.slice(from).flatMap((line) => /^GET http:\/\/([^/:]+)/.exec(line)?.[1] ?? []);
  expect(new Set(hosts(ruled, mark[1]))).toEqual(new Set(['one.test', 'one.test.', 'x.cdn.test.']));
  expect(new Set(hosts(own, mark[0]))).toEqual(
    new Set(['start.test', '127.0.0.2', '127.0.0.1', 'cdn.test', 'notone.test']),
  );
  await browser.close();
  await host.host.close(session.sessionId);
  expect(caught).toBe(0);
});
