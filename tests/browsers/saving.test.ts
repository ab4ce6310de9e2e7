// @module-tag slow

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenRequest } from '@turnpike/contract/host';
import {
  newRequest,
  type OpenedSession,
  startTestHost,
  type TestHost,
} from '@turnpike/host/testing/test-host';
import { chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startWorldProxy, type WorldProxy } from '../fixtures/network/world-proxy.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { page, respond } from './saving-site.ts';

watchLeaks({ wholeFile: true });

const all = new AsyncDisposableStack();
let world: WorldProxy;
let running: TestHost;

beforeAll(async () => {
  const { path } = all.use(await scratchDirectory('lists'));
  const list = join(path, 'ads.txt');
  writeFileSync(list, '||ads.test^\n||count.test^$third-party\n');
  world = all.use(await startWorldProxy(respond));
  running = all.use(await startTestHost({ blockLists: { ads: [list] } }));
});
afterAll(() => all.disposeAsync());
beforeEach(() => {
  world.requests.length = 0;
});

async function open(more: Partial<OpenRequest> & { block?: string[] }): Promise<OpenedSession> {
  const { params, ...request } = newRequest(world.upstream);
  const { block, ...rest } = more;
  return running.open({ ...request, ...rest, params: { ...params, ...(block && { block }) } });
}

const asked = () => world.requests.map(({ host, path }) => `${host}${path}`);
const savingsOf = ({ sessionId }: OpenedSession) =>
  running.host.list().find((browser) => browser.sessionId === sessionId)?.savings;

/** Has the session's first page do something. */
async function inPage<Result>(
  session: OpenedSession,
  work: (first: Page) => Promise<Result>,
): Promise<Result> {
  const browser = await chromium.connectOverCDP(session.url);
  const [first] = browser.contexts()[0]?.pages() ?? [];
  if (!first) throw new Error('The session has no page');
  const result = await work(first);
  await browser.close();
  return result;
}

test('what is blocked is not asked for, by no frame, popup or worker, and a client’s own routes go on', async () => {
  const session = await open({ block: ['images', 'media', 'fonts', 'stylesheets', 'ads'] });
  const routed = await inPage(session, async (first) => {
    await first.route('**/routed.js', (route) => route.fulfill({ body: 'window.routed = true' }));
    const popup = first.context().waitForEvent('page');
    await first.goto('http://localhost/all.html');
    await first.evaluate('void open("http://popup.test/frame.html")');
    await (await popup).waitForFunction('window.done');
    await first.waitForFunction('window.done');
    for (const frame of first.frames()) {
      if (frame.url().endsWith('/frame.html')) await frame.waitForFunction('window.done');
    }
    expect(await first.textContent('p')).toBe('Some text');
    return first.evaluate('window.routed');
  });
  expect(routed).toBe(true);
  expect(new Set(asked())).toEqual(
    new Set([
      'localhost/all.html',
      'localhost/script.js',
      'localhost/worker.js',
      'localhost/frame.html',
      'other.test/frame.html',
      'popup.test/frame.html',
      'localhost/own.txt',
    ]),
  );
  expect(world.tunnels).toEqual([]);
  expect(savingsOf(session)).toEqual({
    refusedRequests: {
      images: expect.any(Number),
      media: 1,
      fonts: 1,
      stylesheets: 1,
      ads: 4,
    },
  });
  await running.host.close(session.sessionId);
  const ended = running.ended.find(({ sessionId }) => sessionId === session.sessionId);
  expect(ended?.savings?.refusedRequests?.images).toBeGreaterThanOrEqual(4);
});

test('a request with a large body is judged as any other', async () => {
  const session = await open({ block: ['ads'] });
  await inPage(session, async (first) => {
    await first.goto('http://localhost/own.txt');
    const post = (url: string) =>
      first.evaluate(
        `fetch('${url}', { method: 'POST', mode: 'no-cors', body: 'x'.repeat(8_000_000) }).then(() => 'sent', String)`,
      );
    expect(await post('http://localhost/posted')).toBe('sent');
    expect(await post('http://count.test/posted')).toMatch(/^TypeError/);
  });
  expect(asked().filter((url) => url.endsWith('/posted'))).toEqual(['localhost/posted']);
  expect(savingsOf(session)).toEqual({ refusedRequests: { ads: 1 } });
  await running.host.close(session.sessionId);
});

test('a session without block asks for everything, and says nothing of savings', async () => {
  const session = await open({});
  await inPage(session, async (first) => {
    await first.goto('http://localhost/all.html');
    await first.waitForFunction('window.done');
  });
  expect(asked()).toEqual(
    expect.arrayContaining(['localhost/image.png', 'localhost/style.css', 'ads.test/ad.js']),
  );
  expect(savingsOf(session)).toBeUndefined();
  expect(await running.host.traffic(session.sessionId)).not.toHaveProperty('estimate');
  await running.host.close(session.sessionId);
});

test('the next session does not ask again for what the cache of the first has, and says how much that was', async () => {
  const visit = (session: OpenedSession) =>
    inPage(session, async (first) => {
      await first.goto('http://localhost/shop.html');
      await first.waitForFunction('window.done');
      return first.textContent('p');
    });
  const first = await open({ cache: { maxBytes: 2 ** 20 } });
  const text = await visit(first);
  expect(asked()).toEqual(
    expect.arrayContaining(['localhost/shop.html', 'localhost/large.js', 'localhost/tag.js']),
  );
  expect(savingsOf(first)).toEqual({ bytesFromCache: 0 });
  const { estimate, bytesDown } = (await running.host.traffic(first.sessionId)) ?? {};
  expect(estimate?.script).toBeGreaterThan(page.largeBytes);
  expect(estimate?.document).toBeGreaterThan(0);
  expect((estimate?.script ?? 0) + (estimate?.document ?? 0)).toBeLessThanOrEqual(bytesDown ?? 0);
  const left = await running.host.save(first.sessionId);
  await running.host.close(first.sessionId);
  if (!left?.cache || !('archive' in left.cache)) throw new Error(JSON.stringify(left));
  expect(left).toMatchObject({ notSaved: 'the session was not opened to save one' });

  world.requests.length = 0;
  const second = await open({ cache: { archive: left.cache.archive } });
  expect(await visit(second)).toBe(text);
  expect(asked()).not.toContain('localhost/large.js');
  const revalidated = world.requests.find(({ path }) => path === '/tag.js');
  expect(revalidated?.headers['if-none-match']).toBe('"1"');
  const { bytesFromCache = 0 } = savingsOf(second) ?? {};
  expect(bytesFromCache).toBeGreaterThan(page.largeBytes);
  expect(bytesFromCache).toBeLessThan(page.largeBytes + page.taggedBytes + 1000);
  expect(await running.host.save(second.sessionId)).toEqual({
    notSaved: 'the session was not opened to save one',
  });
  await running.host.close(second.sessionId);
});
