// @module-tag slow
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
// @ts-expect-error It has no types.
import { Builder, By } from 'selenium-webdriver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { type Found, type StealthSite, startStealthSite } from './site.ts';

/** With stealth, a page finds no client, whatever protocol the client speaks. */

watchLeaks({ wholeFile: true });

const all = new AsyncDisposableStack();
let site: StealthSite;
type Urls = Record<'playwrightUrl' | 'bidiUrl' | 'webdriverUrl', string>;
let headful: Urls;
let headless: Urls;

beforeAll(async () => {
  site = all.use(await startStealthSite());
  const service = all.use(await sharedService());
  const account = await service.account();
  headless = (await account.create({ headless: true, stealth: true })).json;
  headful = (await account.create({ headless: false, stealth: true })).json;
});
afterAll(() => all.disposeAsync());

const titleOfTop = 'document.getElementById("title").textContent';

/** Looks with the console's checks, and with public detectors'. */
interface Driver {
  goto(url: string): Promise<unknown>;
  press(): Promise<unknown>;
  evaluate(script: string): Promise<unknown>;
}

async function expectNothingFound(driver: Driver): Promise<void> {
  await driver.goto(site.origin);
  expect(await driver.evaluate(titleOfTop)).toBe('top');
  await driver.press();
  const { calls, ...found } = (await driver.evaluate('report()')) as Found;
  expect(found).toEqual({ console: 0, words: [] });
  expect(calls).not.toEqual([]);
  await driver.goto(`${site.origin}/detectors`);
  expect(await driver.evaluate(titleOfTop)).toBe('here');
  await driver.press();
  await expect.poll(() => driver.evaluate('rounds > 5')).toBe(true);
  expect(await driver.evaluate('[...flags]')).toEqual([]);
}

describe.each([
  ['headless', () => headless],
  ['headful', () => headful],
] as const)('of a %s browser', (_kind, urlsOf) => {
  test('over Playwright’s own protocol', async () => {
    const browser = await chromium.connect(urlsOf().playwrightUrl);
    const page = await browser.contexts()[0]?.newPage();
    if (!page) throw new Error('There is no context');
    await expectNothingFound({
      goto: (url) => page.goto(url),
      press: () => page.getByRole('button', { name: 'Press' }).click(),
      evaluate: (script) => page.evaluate(script),
    });
    await browser.close();
  });

  test('over WebDriver BiDi', async () => {
    const browser = await puppeteer.connect({
      browserWSEndpoint: urlsOf().bidiUrl,
      protocol: 'webDriverBiDi',
      defaultViewport: null,
    });
    const page = await browser.newPage();
    await expectNothingFound({
      goto: (url) => page.goto(url),
      press: () => page.click('button'),
      evaluate: (script) => page.evaluate(script),
    });
    await browser.disconnect();
  });

  test('over WebDriver', async () => {
    const driver = await new Builder().usingServer(urlsOf().webdriverUrl).forBrowser('chrome').build();
    await expectNothingFound({
      goto: (url) => driver.get(url),
      press: () => driver.findElement(By.css('button')).click(),
      evaluate: (script) => driver.executeScript(`return ${script}`),
    });
    await driver.quit();
  });
});
