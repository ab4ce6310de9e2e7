import {
  newRequest,
  type OpenedSession,
  startTestHost,
  type TestHost,
} from '@turnpike/host/testing/test-host';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Squid, startSquid } from '../fixtures/network/squid.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { connectBidi } from './bidi-connection.ts';
import { type Site, startSite } from './site.ts';
import { workerProcesses } from './worker-processes.ts';

watchLeaks({ wholeFile: true });

const all = new AsyncDisposableStack();
let site: Site;
let squid: Squid;
let running: TestHost;
let session: OpenedSession;

beforeAll(async () => {
  site = all.use(await startSite());
  squid = all.use(await startSquid());
  running = all.use(await startTestHost());
  session = await running.open(newRequest(squid.upstream));
});
afterAll(() => all.disposeAsync());

const bidiUrl = ({ url }: OpenedSession) => url.replace('/cdp/', '/bidi/');

test('a BiDi client and a CDP client drive the same page, and a session ends with its connection only', async () => {
  await using bidi = await connectBidi(bidiUrl(session));
  expect(await bidi.call('session.status')).toMatchObject({ result: { ready: true } });
  const created = await bidi.call('session.new', { capabilities: {} });
  expect(created.result).toMatchObject({ capabilities: { browserName: 'chrome' } });
  const tree = await bidi.call('browsingContext.getTree');
  const { context, clientWindow } = tree.result.contexts[0];
  expect(Number(clientWindow)).toBeGreaterThan(0);
  await bidi.call('session.subscribe', { events: ['log.entryAdded'] });
  await bidi.call('browsingContext.navigate', { context, url: `${site.origin}/`, wait: 'complete' });
  const browser = await chromium.connectOverCDP(session.url);
  const [page] = browser.contexts()[0]?.pages() ?? [];
  await page?.click('#press');
  await expect.poll(() => bidi.events.map(({ params }) => params.text)).toContain('pressed 7');
  const located = await bidi.call('browsingContext.locateNodes', {
    context,
    locator: { type: 'css', value: '#press' },
  });
  expect(located.result.nodes).toHaveLength(1);
  const evaluated = await bidi.call('script.evaluate', {
    expression: 'press.textContent',
    target: { context },
    awaitPromise: false,
  });
  expect(evaluated.result.result).toEqual({ type: 'string', value: 'pressed' });
  expect(await bidi.call('session.end')).toMatchObject({ type: 'success', result: {} });
  expect(await bidi.closed).toEqual({ code: 1000, reason: '' });
  expect(await page?.textContent('#press')).toBe('pressed');
  await browser.close();
});

test('Puppeteer drives a session over WebDriver BiDi', async () => {
  const browser = await puppeteer.connect({
    browserWSEndpoint: bidiUrl(session),
    protocol: 'webDriverBiDi',
  });
  const page = await browser.newPage();
  await page.goto(`${site.origin}/`);
  await page.click('#press');
  await page.type('#name', 'Ada');
  expect(await page.$eval('#name', (input) => (input as HTMLInputElement).value)).toBe('Ada');
  const frame = page.frames().find((one) => one.url().endsWith('/frame'));
  expect(await frame?.$eval('#inner', ({ textContent }) => textContent)).toBe('inner text');
  const asked = new Promise<string>((resolve) => {
    page.once('dialog', async (dialog) => {
      await dialog.accept();
      resolve(dialog.message());
    });
  });
  await page.click('#ask');
  expect(await asked).toBe('Sure?');
  expect((await page.cookies()).map(({ name, value }) => `${name}=${value}`)).toEqual(['visited=yes']);
  expect((await page.screenshot()).subarray(1, 4)).toEqual(Buffer.from('PNG'));
  expect(Buffer.from(await page.pdf()).toString('latin1', 0, 5)).toBe('%PDF-');
  await page.setRequestInterception(true);
  page.on(
    'request',
    (request) => void request.respond({ contentType: 'text/html', body: '<title>From the client</title>' }),
  );
  await page.goto(`${site.origin}/nowhere`);
  expect(await page.title()).toBe('From the client');
  expect(site.asked).not.toContain('/nowhere');
  await page.close();
  await browser.disconnect();
});

test('what is no command is answered, also before the mapper is up, and other paths are not found', async () => {
  await using bidi = await connectBidi(`${bidiUrl(session)}/session`);
  for (const text of ['no JSON', '[]', '{"id":-1}', '{"id":1}', '{"id":1,"method":"session.status"}']) {
    const next = bidi.next();
    bidi.socket.send(text);
    expect(await next).toMatchObject({ type: 'error', error: 'invalid argument' });
  }
  expect(await bidi.call('browsingContext.getTree')).toMatchObject({ type: 'success' });
  expect(await bidi.call('no.such')).toMatchObject({ error: 'unknown command' });
  await expect(connectBidi(`${bidiUrl(session)}/nothing`)).rejects.toThrow('404');
  await expect(connectBidi(`${bidiUrl(session)}1`)).rejects.toThrow('404');
  const plain = await fetch(bidiUrl(session).replace('ws:', 'http:'));
  expect(plain.status).toBe(426);
});

test('a worker that is killed takes only its clients along, and the next client gets a new one', async () => {
  const other = await running.open(newRequest(squid.upstream));
  await using first = await connectBidi(bidiUrl(session));
  await first.call('session.new', { capabilities: {} });
  const [worker] = workerProcesses();
  await using neighbour = await connectBidi(bidiUrl(other));
  await neighbour.call('session.new', { capabilities: {} });
  process.kill(worker ?? 0, 'SIGKILL');
  expect((await first.closed).code).toBe(1006);
  await using second = await connectBidi(bidiUrl(session));
  expect(await second.call('session.new', { capabilities: {} })).toMatchObject({ type: 'success' });
  expect(await neighbour.call('browsingContext.getTree')).toMatchObject({ type: 'success' });
  await running.host.close(other.sessionId);
  expect(await neighbour.closed).toEqual({ code: 4000, reason: 'CLOSED' });
});

test('`browser.close` ends the session as a CDP client’s `Browser.close` does', async () => {
  const other = await running.open(newRequest(squid.upstream));
  await using bidi = await connectBidi(bidiUrl(other));
  await bidi.call('session.new', { capabilities: {} });
  expect(await bidi.call('browser.close')).toMatchObject({ type: 'success' });
  await bidi.closed;
  await expect
    .poll(() => running.ended.find(({ sessionId }) => sessionId === other.sessionId))
    .toMatchObject({ cause: 'gone', reason: 'browser_closed' });
});
