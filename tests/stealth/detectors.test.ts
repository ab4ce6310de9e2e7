// @module-tag slow

import { chromium, type Page } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { type StealthSite, startStealthSite } from './site.ts';

watchLeaks({ wholeFile: true });

const all = new AsyncDisposableStack();
let site: StealthSite;
let account: TestAccount;

beforeAll(async () => {
  site = all.use(await startStealthSite());
  const service = all.use(await sharedService());
  account = await service.account({ creates_per_minute: 1000 });
});
afterAll(() => all.disposeAsync());

const text = Function('return document.getElementById("title").textContent') as () => string;
const hasLooked = 'calls > 0 && rounds > 10';
const flags = '[...flags].sort()';
const pressed = 'document.querySelector("button").textContent';

/** Each uses the page of detectors as its users would, and returns what they found. */
const visits = {
  async Playwright(cdpUrl: string, url: string): Promise<unknown> {
    const browser = await chromium.connectOverCDP(cdpUrl);
    const page = (await browser.contexts()[0]?.newPage()) as Page;
    await page.exposeFunction('exposed', () => 1);
    await page.goto(url);
    expect(await page.evaluate(text)).toBe('here');
    await page.locator('button').click();
    await page.waitForFunction(hasLooked);
    expect(await page.evaluate(pressed)).toBe('pressed');
    const found = await page.evaluate(flags);
    await browser.close();
    return found;
  },
  async Puppeteer(cdpUrl: string, url: string): Promise<unknown> {
    const browser = await puppeteer.connect({ browserWSEndpoint: cdpUrl, defaultViewport: null });
    const page = await browser.newPage();
    await page.exposeFunction('exposed', () => 1);
    await page.goto(url);
    expect(await page.evaluate(text)).toBe('here');
    await page.locator('button').click();
    await page.waitForFunction(hasLooked);
    expect(await page.evaluate(pressed)).toBe('pressed');
    const found = await page.evaluate(flags);
    await browser.disconnect();
    return found;
  },
};

const flagged = [
  'brotector runtime.enabled',
  'fpscanner hasCDP',
  'rebrowser exposeFunctionLeak',
  'rebrowser sourceUrlLeak',
];
const cells = (['Playwright', 'Puppeteer'] as const).flatMap((client) =>
  [true, false].map((headless) => ({ client, headless })),
);

test.each(cells)(
  '$client, headless $headless: detectors find nothing with stealth, and a client without',
  async ({ client, headless }) => {
    const look = async (stealth: boolean) => {
      const { json } = await account.create({ headless, stealth });
      const found = await visits[client](json.cdpUrl, `${site.origin}/detectors`);
      await account.close(json.browserId);
      return found;
    };
    expect(await look(true)).toEqual([]);
    expect(await look(false)).toEqual(flagged);
  },
);
