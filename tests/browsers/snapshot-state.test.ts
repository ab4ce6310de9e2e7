import type { OpenRequest, SnapshotResult } from '@turnpike/contract/host';
import { newRequest, startPageProxy, startTestHost, type TestHost } from '@turnpike/host/testing/test-host';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

const all = new AsyncDisposableStack();
let host: TestHost;
let proxy: OpenRequest['proxy'];
/** Method and address of the requests for pages. */
const asked: string[] = [];

beforeAll(async () => {
  ({ proxy } = all.use(
    await startPageProxy((request, response) => {
      const { pathname, host: site } = new URL(request.url ?? '');
      if (pathname === '/favicon.ico') return response.writeHead(404).end();
      asked.push(`${request.method} ${site}${pathname}`);
      if (pathname === '/basket') response.setHeader('set-cookie', 'basket=full; path=/');
      response.setHeader('content-type', 'text/html');
      return response.end(
        `<title>${pathname}</title><p>${request.headers.cookie ?? ''}</p>
        <form method=post action=/order><input id=note name=note><input id=secret type=password>
        <input type=checkbox id=box><select id=size><option>S<option>M</select></form><div style="height:5000px">`,
      );
    }),
  ));
  host = all.use(await startTestHost());
});
afterAll(() => all.disposeAsync());

async function open(
  more: Partial<OpenRequest> = {},
): Promise<OpenRequest & { browser: Browser; pages: Page[] }> {
  const session = await host.open({ ...newRequest(proxy), ...more });
  const browser = await chromium.connectOverCDP(session.url);
  return { ...session, browser, pages: browser.contexts()[0]?.pages() ?? [] };
}

function taken(result: SnapshotResult | undefined): Extract<SnapshotResult, { archive: string }> {
  if (!result || 'notSaved' in result) throw new Error(result?.notSaved ?? 'no session');
  return result;
}

const write = `new Promise((resolve) => {
  const opening = indexedDB.open('things', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('store');
  opening.onsuccess = () => {
    const change = opening.result.transaction('store', 'readwrite');
    change.objectStore('store').put({ when: new Date(5), data: new Blob(['kept']) }, 'key');
    change.oncomplete = resolve;
  };
})`;
const read = `new Promise((resolve) => {
  const opening = indexedDB.open('things', 1);
  opening.onsuccess = () => {
    const got = opening.result.transaction('store').objectStore('store').get('key');
    got.onsuccess = async () => resolve([got.result.when.getTime(), await got.result.data.text()]);
  };
})`;

test('a session that begins with a snapshot is where the other was, any number of times', async () => {
  const first = await open();
  const [page] = first.pages as [Page];
  await page.goto('http://shop.example/');
  await page.goto('http://shop.example/basket');
  await page.evaluate(write);
  await page.evaluate(`localStorage.setItem('local', 'l'); sessionStorage.setItem('session', 's')`);
  await page.goto('http://shop.example/basket#two');
  await page.fill('#note', 'as written');
  await page.fill('#secret', 'hidden');
  await page.check('#box');
  await page.selectOption('#size', 'M');
  await page.evaluate('scrollTo(0, 1234)');
  const other = await page.context().newPage();
  await other.goto('http://other.example/');
  await other.evaluate(`localStorage.setItem('local', 'other')`);
  const device = await page.evaluate('[navigator.userAgent, screen.width, screen.height]');

  const snapshot = taken(await host.host.takeSnapshot(first.sessionId, 2 ** 24));
  expect(snapshot).toMatchObject({ tabs: 2, lost: [] });
  expect(await page.evaluate(`localStorage.getItem('local')`)).toBe('l');
  await first.browser.close();
  await host.host.close(first.sessionId);

  for (const _ of [1, 2]) {
    asked.length = 0;
    const next = await open({ snapshot: { archive: snapshot.archive, keepsDevice: true } });
    const pages = next.pages.toSorted((one, another) => another.url().localeCompare(one.url()));
    expect(pages.map((one) => one.url())).toEqual([
      'http://shop.example/basket#two',
      'http://other.example/',
    ]);
    expect(asked.toSorted()).toEqual(['GET other.example/', 'GET shop.example/basket']);
    const [shop, others] = pages as [Page, Page];
    expect(await shop.textContent('p')).toBe('basket=full');
    expect(await shop.evaluate('[navigator.userAgent, screen.width, screen.height]')).toEqual(device);
    expect(await shop.evaluate(`[localStorage.getItem('local'), sessionStorage.getItem('session')]`)).toEqual(
      ['l', 's'],
    );
    expect(await others.evaluate(`[localStorage.getItem('local'), sessionStorage.length]`)).toEqual([
      'other',
      0,
    ]);
    expect(await shop.evaluate(read)).toEqual([5, 'kept']);
    expect(await shop.evaluate('Math.round(scrollY)')).toBe(1234);
    const cdp = await shop.context().newCDPSession(shop);
    const { entries } = await cdp.send('Page.getNavigationHistory');
    expect(entries.map(({ url }) => url)).toEqual(['http://shop.example/', 'http://shop.example/basket#two']);
    expect(
      await shop.evaluate(`['note', 'secret', 'size'].map((id) => document.getElementById(id).value)`),
    ).toEqual(['as written', '', 'M']);
    expect(await shop.isChecked('#box')).toBe(true);
    await shop.goBack();
    expect([shop.url(), await shop.title()]).toEqual(['http://shop.example/', '/']);
    await next.browser.close();
    await host.host.close(next.sessionId);
  }
});
