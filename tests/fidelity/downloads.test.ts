import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { type BothBrowsers, type Site, startBothBrowsers, startSite } from './both-browsers.ts';

watchLeaks({ wholeFile: true });

const all = new AsyncDisposableStack();
let browsers: BothBrowsers;
let site: Site;

beforeAll(async () => {
  browsers = all.use(await startBothBrowsers());
  site = all.use(await startSite({ '/': '<!doctype html>' }));
});
afterAll(() => all.disposeAsync());

const click = (name: string) => `Object.assign(document.createElement('a'), {
  href: URL.createObjectURL(new Blob(['content'])),
  download: '${name}',
}).click()`;

/** What a client of either kind can say on a page's session. */
interface Cdp {
  send(method: any, params: any): Promise<unknown>;
}

const directory = '/home/someone/on-the-clients-machine';
const behaviors: Record<string, (cdp: Cdp, context: string) => Promise<unknown>> = {
  'Browser.setDownloadBehavior': (cdp) =>
    cdp.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: directory }),
  'Browser.setDownloadBehavior of its context': (cdp, browserContextId) =>
    cdp.send('Browser.setDownloadBehavior', {
      behavior: 'allowAndName',
      downloadPath: directory,
      browserContextId,
      eventsEnabled: true,
    }),
  'Page.setDownloadBehavior': (cdp) =>
    cdp.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: directory }),
};

test.each(Object.entries(behaviors))(
  'after %s on a Puppeteer page the file is the session’s',
  async (name, set) => {
    const browser = await puppeteer.connect({ browserWSEndpoint: browsers.session, defaultViewport: null });
    // Without a context it is about the default one.
    const isDefault = name === 'Browser.setDownloadBehavior';
    const context = isDefault ? browser.defaultBrowserContext() : await browser.createBrowserContext();
    const page = await context.newPage();
    await page.goto(site.origin);
    await set((await page.createCDPSession()) as Cdp, context.id ?? '');
    await page.evaluate(click(`by Puppeteer, ${name}.txt`));
    await expect.poll(browsers.files).toContain(`by Puppeteer, ${name}.txt`);
    await page.close();
    if (!isDefault) await context.close();
    await browser.disconnect();
  },
);

test.each(Object.entries(behaviors))(
  'after %s on a Playwright page the file is the session’s',
  async (name, set) => {
    const browser = await chromium.connectOverCDP(browsers.session);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(site.origin);
    const cdp = await context.newCDPSession(page);
    const { targetInfo } = await cdp.send('Target.getTargetInfo');
    await set(cdp, targetInfo.browserContextId ?? '');
    await page.evaluate(click(`by Playwright, ${name}.txt`));
    await expect.poll(browsers.files).toContain(`by Playwright, ${name}.txt`);
    await context.close();
    await browser.close();
  },
);

test('what says nothing of a directory is answered on a page session as a direct browser answers it', async () => {
  const answers = async (url: string) => {
    const browser = await puppeteer.connect({ browserWSEndpoint: url, defaultViewport: null });
    const page = await browser.newPage();
    const cdp = (await page.createCDPSession()) as Cdp;
    const said: unknown[] = [];
    for (const [method, params] of [
      ['Browser.setDownloadBehavior', { behavior: 'deny' }],
      ['Browser.setDownloadBehavior', { behavior: 'no such' }],
      ['Browser.setDownloadBehavior', { behavior: 'allow', browserContextId: {} }],
      ['Page.setDownloadBehavior', { behavior: 'allowAndName', downloadPath: directory }],
      ['Page.setDownloadBehavior', { behavior: 'default' }],
    ] as const) {
      said.push(await cdp.send(method, params).catch((error: Error) => error.message));
    }
    await cdp.send('Browser.setDownloadBehavior', { behavior: 'default' });
    await page.close();
    await browser.disconnect();
    return said;
  };
  expect(await answers(browsers.session)).toEqual(await answers(browsers.direct));
});
