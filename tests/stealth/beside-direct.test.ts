import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BothBrowsers, type Site, startBothBrowsers, startSite } from '../fidelity/both-browsers.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks({ wholeFile: true });

const all = new AsyncDisposableStack();
let browsers: BothBrowsers;
let site: Site;

const rejects = (text: string) => `<script>void Promise.reject(new Error('${text}'))</script>`;
const scriptFrame = `<!doctype html><iframe src='javascript:""'></iframe>`;
const addsFrame = `{ const frame = document.createElement('iframe'); frame.src = 'javascript:""';
  document.body.append(frame); }`;

/** What a page of either client has. */
interface AnyPage {
  goto(url: string): Promise<unknown>;
  setContent(html: string): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
  frames(): { evaluate(expression: string): Promise<unknown> }[];
  once(event: 'pageerror', listener: (error: any) => void): unknown;
  close(): Promise<void>;
}

const clients: Record<string, (url: string) => Promise<{ page: AnyPage; leave(): Promise<void> }>> = {
  Playwright: async (url) => {
    const browser = await chromium.connectOverCDP(url);
    const page = (await browser.contexts()[0]?.newPage()) as AnyPage;
    return { page, leave: () => browser.close() };
  },
  Puppeteer: async (browserWSEndpoint) => {
    const browser = await puppeteer.connect({ browserWSEndpoint, defaultViewport: null });
    return { page: (await browser.newPage()) as AnyPage, leave: () => browser.disconnect() };
  },
};

beforeAll(async () => {
  browsers = all.use(await startBothBrowsers({ stealth: true }));
  site = all.use(
    await startSite({ '/': '<!doctype html>', '/frame': scriptFrame, '/rejects': rejects('at first') }),
  );
});
afterAll(() => all.disposeAsync());

describe.each(['direct', 'session'] as const)('with a %s browser', (kind) => {
  test.each(Object.entries(clients))(
    'for %s, a frame whose address is a script can be used, and rejections are reported',
    async (_name, open) => {
      const { page, leave } = await open(browsers[kind]);
      const error = () => new Promise<any>((resolve) => page.once('pageerror', resolve));
      await page.goto(`${site.origin}/frame`);
      expect(await page.frames()[1]?.evaluate('document.URL')).toBe('about:blank');
      await page.goto(site.origin);
      await page.evaluate(addsFrame);
      expect(await page.frames()[1]?.evaluate('document.URL')).toBe('about:blank');

      const atFirst = error();
      await page.goto(`${site.origin}/rejects`);
      expect((await atFirst).message).toBe('at first');
      for (const text of ['written', 'written again']) {
        const written = error();
        await page.setContent(rejects(text));
        expect((await written).message).toBe(text);
      }
      const later = error();
      await page.evaluate(`void setTimeout(() => { throw new Error('later'); })`);
      expect((await later).message).toBe('later');
      await page.close();
      await leave();
    },
  );
});
