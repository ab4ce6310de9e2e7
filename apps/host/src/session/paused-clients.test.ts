import { once } from 'node:events';
import type { UpstreamProxy } from '@turnpike/contract/host';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { Raw } from '../testing/raw-client.ts';
import { newRequest, startPageProxy, startTestHost, type TestHost } from '../testing/test-host.ts';

/** A person has the browser to themselves: the browser goes on, and what clients send waits. */

watchLeaks({ wholeFile: true });

const ada = { id: 'a1', name: 'ada@example.com' };
const all = new AsyncDisposableStack();
/** What pages last said they had done, and what waits for them to say something again. */
const reports: { who: string; done: number }[] = [];
let proxy: UpstreamProxy;
let running: TestHost;

/** It tells the server every few milliseconds how much it was told to do. */
const pageText = `<!doctype html><title>a page</title><script>
  const done = [];
  setInterval(() => fetch('/said?who=' + location.hash.slice(1) + '&done=' + done.length), 20);
</script>`;

beforeAll(async () => {
  const served = await startPageProxy(({ url = '' }, response) => {
    const said = /said\?who=(\w+)&done=(\d+)/.exec(url);
    if (said) reports.push({ who: said[1] ?? '', done: Number(said[2]) });
    response.setHeader('content-type', 'text/html').end(pageText);
  });
  ({ proxy } = all.use(served));
  running = all.use(await startTestHost());
});
afterAll(() => all.disposeAsync());

/** Waits until the page has said a few times more what it has done, and returns that. */
async function nextReports(who: string): Promise<number[]> {
  const from = reports.length;
  const later = () => reports.slice(from).filter((report) => report.who === who);
  await expect.poll(() => later().length).toBeGreaterThan(4);
  return later().map(({ done }) => done);
}

it('what Playwright and Puppeteer send waits, and is done in order afterwards, with nothing lost', async () => {
  const { sessionId, url } = await running.open(newRequest(proxy));
  const playwright = await chromium.connectOverCDP(url);
  const ofPuppeteer = await puppeteer.connect({ browserWSEndpoint: url });
  interface Evaluates {
    goto(url: string): Promise<unknown>;
    evaluate(expression: string): Promise<unknown>;
  }
  const pages: Record<string, Evaluates> = {
    playwright: await (playwright.contexts()[0] ?? (await playwright.newContext())).newPage(),
    puppeteer: await ofPuppeteer.newPage(),
  };
  for (const [who, page] of Object.entries(pages)) await page.goto(`http://site.test/#${who}`);

  const { host } = running;
  expect(await host.pauseClients(sessionId, ada)).toMatchObject({ connected: 2, pause: { holder: ada } });
  const orders = Array.from({ length: 100 }, (_, index) => index);
  const filler = 'x'.repeat(5000);
  const answers = Object.values(pages).map((page) =>
    Promise.all(orders.map((order) => page.evaluate(`done.push(${order}) - 1; /* ${filler} */ ${order}`))),
  );
  for (const who of Object.keys(pages)) {
    const said = await nextReports(who);
    expect(said).toEqual(said.map(() => 0));
  }
  expect(await host.resumeClients(sessionId, 'somebody else')).toHaveProperty('pause');
  expect(await host.resumeClients(sessionId, ada.id)).toEqual({ connected: 2 });
  expect(await Promise.all(answers)).toEqual([orders, orders]);
  for (const page of Object.values(pages)) expect(await page.evaluate('done')).toEqual(orders);
  await playwright.close();
  await ofPuppeteer.disconnect();
  await host.close(sessionId);
});

it('a client that connects meanwhile waits too, and its pings are answered', async () => {
  const { sessionId, url } = await running.open(newRequest(proxy));
  await running.host.pauseClients(sessionId, ada);
  await using client = await Raw.connect(url);
  let isAnswered = false;
  const answered = client.call('Browser.getVersion').finally(() => {
    isAnswered = true;
  });
  const pong = once(client.socket, 'pong');
  client.socket.ping();
  await pong;
  expect(isAnswered).toBe(false);
  // A close comes after what was sent before it.
  client.socket.close();
  await running.host.resumeClients(sessionId, ada.id);
  expect(await answered).toHaveProperty('result.product');
  await once(client.socket, 'close');
  await running.host.close(sessionId);
});

it('more than the host keeps is left in the socket, and all of it comes through', async () => {
  const { sessionId, url } = await running.open(newRequest(proxy));
  await using client = await Raw.connect(url);
  await running.host.pauseClients(sessionId, ada);
  const large = 'x'.repeat(2 ** 20);
  client.socket.setMaxListeners(100);
  const answers = Array.from({ length: 20 }, () => client.call('Target.getBrowserContexts', { large }));
  await expect.poll(() => client.socket.bufferedAmount).toBeGreaterThan(0);
  await running.host.resumeClients(sessionId, ada.id);
  for (const answer of await Promise.all(answers)) expect(answer).toHaveProperty('result.browserContextIds');
  await running.host.close(sessionId);
});

it('a session that ends while its clients are paused tells them', async () => {
  const { sessionId, url } = await running.open(newRequest(proxy));
  await using client = await Raw.connect(url);
  await running.host.pauseClients(sessionId, ada);
  client.call('Browser.getVersion').catch(() => {});
  const closed = once(client.socket, 'close');
  await running.host.close(sessionId);
  const [code, reason] = await closed;
  expect([code, String(reason)]).toEqual([4000, 'CLOSED']);
  expect(await running.host.pauseClients(sessionId, ada)).toBeUndefined();
});
