import { once } from 'node:events';
import { newRequest, startTestHost, type TestHost } from '@turnpike/host/testing/test-host';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Squid, startSquid } from '../fixtures/network/squid.ts';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { groupsOfHost } from './session-group.ts';
import { asker } from './steady-client.ts';

watchLeaks();

const all = new AsyncDisposableStack();
let squid: Squid;
let web: WebServer;
let host: TestHost;

beforeAll(async () => {
  squid = all.use(await startSquid());
  web = all.use(await startWebServer());
  host = all.use(await startTestHost());
});
afterAll(() => all.disposeAsync());

const open = (more: object = {}, options: Parameters<typeof newRequest>[1] = {}) => {
  const request = newRequest(squid.upstream, options);
  return host.open({ ...request, params: { ...request.params, standby: 1, ...more } });
};
const standbyOf = (sessionId: string) => host.host.list().find((one) => one.sessionId === sessionId)?.standby;
const isAsleep = (sessionId: string) => standbyOf(sessionId)?.asleepForMs !== undefined;
const untilAsleep = (sessionId: string) => expect.poll(() => isAsleep(sessionId)).toBe(true);

async function connect(url: string) {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  return { socket, ask: asker(socket, 20_000) };
}

test('a browser sleeps while nobody uses it, and its client notices nothing but time', async () => {
  const { sessionId, url } = await open();
  const browser = await chromium.connectOverCDP(url);
  const page = await (browser.contexts()[0] ?? (await browser.newContext())).newPage();
  await page.goto(`${web.origin}/`);
  await page.evaluate(
    async (echo) => {
      const socket = new window.WebSocket(echo);
      await new Promise((resolve) => socket.addEventListener('open', resolve));
      const store = await new Promise<IDBDatabase>((resolve, reject) => {
        const opening = indexedDB.open('notes', 1);
        opening.onupgradeneeded = () => opening.result.createObjectStore('notes');
        opening.onsuccess = () => resolve(opening.result);
        opening.onerror = () => reject(opening.error);
      });
      const ticks = { count: 0 };
      setInterval(() => ticks.count++, 50);
      Object.assign(window, { socket, store, ticks });
    },
    web.origin.replace('http', 'ws'),
  );
  for (let cycle = 0; cycle < 3; cycle++) {
    const before = await page.evaluate(() => [(window as any).ticks.count, performance.now()]);
    await expect.poll(() => standbyOf(sessionId)?.asleepForMs).toBeGreaterThan(500);
    const slept = await page.evaluate(async (value) => {
      const { socket, store, ticks } = window as any;
      const now = [ticks.count, performance.now()];
      const echoed = new Promise((resolve) =>
        socket.addEventListener('message', (event: MessageEvent) => resolve(event.data), { once: true }),
      );
      socket.send(`cycle ${value}`);
      const stored = await new Promise((resolve, reject) => {
        const writing = store.transaction('notes', 'readwrite').objectStore('notes').put(value, 'last');
        writing.onsuccess = () => resolve(value);
        writing.onerror = () => reject(writing.error);
      });
      return { now, echoed: await echoed, stored };
    }, cycle);
    expect(slept).toMatchObject({ echoed: `cycle ${cycle}`, stored: cycle });
    // Its clock went on, and its timers did not.
    const [ticks = 0, ms = 0] = [slept.now[0] - before[0], slept.now[1] - before[1]];
    expect(ms).toBeGreaterThan(900);
    expect(ticks).toBeLessThan(ms / 50);
    expect(isAsleep(sessionId)).toBe(false);
  }
  expect(standbyOf(sessionId)?.totalMs).toBeGreaterThan(0);
  await browser.close();
  const ended = await host.host.close(sessionId);
  expect(ended).toMatchObject({ cause: 'closed', standby: { totalMs: expect.any(Number) } });
});

test('each way to a session wakes it, and keep-alive pings do not', async () => {
  const session = await open();
  const { sessionId, url, cdpId } = session;
  const { socket, ask } = await connect(url);
  await untilAsleep(sessionId);
  const pong = once(socket, 'pong');
  socket.ping();
  await pong;
  expect(isAsleep(sessionId)).toBe(true);

  const base = `${host.host.publicUrl.replace('ws', 'http')}/cdp/${cdpId}`;
  const ways: Record<string, () => Promise<unknown>> = {
    message: () => ask('Browser.getVersion', {}),
    client: async () => (await connect(url)).socket.close(),
    discovery: () => fetch(`${base}/json/version`).then((answer) => answer.json()),
    files: () => fetch(`${base}/files`).then((answer) => answer.json()),
    wake: () => host.host.wake(sessionId),
    page: () =>
      host.host.callPage(
        sessionId,
        { parameters: {}, formats: ['content'], raw: false, timeoutMs: 20_000 },
        AbortSignal.timeout(30_000),
      ),
  };
  for (const [name, use] of Object.entries(ways)) {
    await untilAsleep(sessionId);
    const before = standbyOf(sessionId)?.totalMs ?? 0;
    await use();
    await expect.poll(() => isAsleep(sessionId), { message: name }).toBe(false);
    expect(standbyOf(sessionId)?.totalMs).toBeGreaterThanOrEqual(before);
  }
  await host.host.close(sessionId);
});

test('a command without an answer holds a session awake', async () => {
  const { sessionId, url } = await open();
  const { ask } = await connect(url);
  const { targetId } = await ask('Target.createTarget', { url: `${web.origin}/` });
  const { sessionId: page } = await ask('Target.attachToTarget', { targetId, flatten: true });
  const evaluate = (expression: string) =>
    ask('Runtime.evaluate', { expression, awaitPromise: true, userGesture: true }, page);
  const { result } = await evaluate('new Promise((resolve) => setTimeout(resolve, 2500, "done"))');
  expect(result.value).toBe('done');
  expect(standbyOf(sessionId)).toEqual({ totalMs: 0 });
  await untilAsleep(sessionId);
  await host.host.close(sessionId);
});

test('a session that sleeps ends at its lifetime, and leaves nothing', async () => {
  const { sessionId, url } = await open({}, { lifetimeMs: 4000 });
  const { socket } = await connect(url);
  const closed = once(socket, 'close');
  await untilAsleep(sessionId);
  const [code] = await closed;
  expect(code).toBe(4001);
  await expect.poll(() => host.ended.at(-1)).toMatchObject({ sessionId, cause: 'expired' });
  expect(host.ended.at(-1)?.standby?.totalMs).toBeGreaterThan(0);
  await expect.poll(() => groupsOfHost(process.pid)).toEqual([]);
});

test('a host that stops ends sessions that sleep', async () => {
  await using stopping = await startTestHost();
  const request = newRequest(squid.upstream);
  const { sessionId } = await stopping.open({ ...request, params: { ...request.params, standby: 1 } });
  await expect.poll(() => stopping.host.list()[0]?.standby?.asleepForMs).toBeDefined();
  await stopping.host.shutdown();
  expect(stopping.ended).toMatchObject([{ sessionId, reason: 'host_stopped' }]);
  expect(groupsOfHost(process.pid)).toEqual([]);
});
