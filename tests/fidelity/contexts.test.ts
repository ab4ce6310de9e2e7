import { chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { testEach } from '../fixtures/suite/matrix.ts';
import { SideBySide } from './side-by-side.ts';

watchLeaks({ wholeFile: true });

let pair: SideBySide;

beforeAll(async () => {
  pair = await SideBySide.start({
    '/': ['text/html', '<!doctype html><title>first</title>'],
    '/second': ['text/html', '<!doctype html><title>second</title>'],
  });
});
afterAll(() => pair[Symbol.asyncDispose]());

testEach<{ server: string; bypass?: string }>({
  quick: [{ server: 'http://127.0.0.1:1' }],
  slow: [{ server: 'http://per-context' }, { server: 'socks5://192.0.2.1:1080', bypass: 'localhost' }],
})('a context that asks for the proxy %o, which cannot be used, is refused', async (proxy) => {
  await using session = await pair.session();
  const browser = await chromium.connectOverCDP(session.url);
  pair.asked.length = 0;
  await expect(browser.newContext({ proxy })).rejects.toThrow(/Target\.createBrowserContext/);
  expect(pair.asked).toEqual([]);
  await browser.close();
});

test('going back and forth works with Playwright, page by page', async () => {
  await using session = await pair.session();
  const browser = await chromium.connectOverCDP(session.url);
  const page = (await browser.contexts()[0]?.newPage()) as Page;
  await page.goto(`${pair.origin}/`);
  await page.goto(`${pair.origin}/second`);
  expect((await page.goBack())?.url()).toBe(`${pair.origin}/`);
  expect(await page.title()).toBe('first');
  expect((await page.goForward())?.url()).toBe(`${pair.origin}/second`);
  expect(await page.title()).toBe('second');
  await browser.close();
});
