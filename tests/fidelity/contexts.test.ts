import { chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { testEach } from '../fixtures/suite/matrix.ts';
import { SideBySide, withCommands } from './side-by-side.ts';

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
})('a context that asks for the proxy %o uses the session’s', async (proxy) => {
  await using session = await pair.session();
  const browser = await chromium.connectOverCDP(session.url);
  const context = await browser.newContext({ proxy });
  const page = await context.newPage();
  pair.asked.length = 0;
  expect((await page.goto(`${pair.origin}/`))?.status()).toBe(200);
  expect(pair.asked).toContain('/');
  await context.close();
  await browser.close();
});

test('a context with a proxy of its own is otherwise as it was asked for', async () => {
  await using session = await pair.session();
  await withCommands(session.url, async (send) => {
    const proxyServer = 'http://127.0.0.1:1';
    const made = await send('Target.createBrowserContext', { proxyServer, disposeOnDetach: false });
    const { browserContextIds } = await send('Target.getBrowserContexts');
    expect(browserContextIds).toEqual([made.browserContextId]);
  });
  await withCommands(session.url, async (send) => {
    expect((await send('Target.getBrowserContexts')).browserContextIds).toHaveLength(1);
  });
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
