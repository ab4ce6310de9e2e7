import { type Browser, chromium, type Page } from 'playwright-core';
import puppeteer, { type Browser as PuppeteerBrowser, type Page as PuppeteerPage } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/leaks.ts';
import { startService } from '../fixtures/service.ts';
import { type StealthSite, startStealthSite } from './site.ts';

watchLeaks({ wholeFile: true });

interface Found {
  console: number;
  calls: string[];
  words: string[];
}

/** As a function, which clients send with a name of their own. */
const titleOfTop = Function('return document.getElementById("title").textContent') as () => string;

const all = new AsyncDisposableStack();
let site: StealthSite;
/** The CDP URLs of two sessions. */
let hidden: string;
let plain: string;

beforeAll(async () => {
  site = all.use(await startStealthSite());
  const service = all.use(await startService());
  const account = await service.account();
  const create = async (params: object) => (await account.create({ headless: true, ...params })).json;
  [hidden, plain] = [(await create({ stealth: true })).cdpUrl, (await create({})).cdpUrl];
});
afterAll(() => all.disposeAsync());

describe('with Playwright', () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await chromium.connectOverCDP(hidden);
    page = (await browser.contexts()[0]?.newPage()) as Page;
  });
  afterAll(() => browser.close());

  const visit = async (page: Page): Promise<Found> => {
    await page.goto(site.origin);
    expect(await page.evaluate(titleOfTop)).toBe('top');
    await page.getByRole('button', { name: 'Press' }).click();
    await page.locator('input').fill('typed');
    await page.waitForSelector('#later');
    expect(await page.evaluate('[clicked, document.querySelector("input").value].join()')).toBe('1,typed');
    return (await page.evaluate('report()')) as Found;
  };

  test('a page finds no client, where it finds one without stealth', async () => {
    const { calls, ...found } = await visit(page);
    expect(found).toEqual({ console: 0, words: [] });
    expect(calls).not.toEqual([]);
    const open = await chromium.connectOverCDP(plain);
    const flagged = await visit((await open.contexts()[0]?.newPage()) as Page);
    expect(flagged.console).toBeGreaterThan(0);
    expect(flagged.words).not.toEqual([]);
    await open.close();
  });
});

describe('with Puppeteer', () => {
  let browser: PuppeteerBrowser;
  let page: PuppeteerPage;

  beforeAll(async () => {
    browser = await puppeteer.connect({ browserWSEndpoint: hidden, defaultViewport: null });
    page = await browser.newPage();
  });
  afterAll(() => browser.disconnect());

  const visit = async (page: PuppeteerPage): Promise<Found> => {
    await page.goto(site.origin);
    expect(await page.evaluate(titleOfTop)).toBe('top');
    await page.locator('button').click();
    await page.locator('input').fill('typed');
    await page.waitForSelector('#later');
    expect(await page.evaluate('[clicked, document.querySelector("input").value].join()')).toBe('1,typed');
    return (await page.evaluate('report()')) as Found;
  };

  test('a page finds no client, where it finds one without stealth', async () => {
    const { calls, ...found } = await visit(page);
    expect(found).toEqual({ console: 0, words: [] });
    expect(calls).not.toEqual([]);
    const open = await puppeteer.connect({ browserWSEndpoint: plain, defaultViewport: null });
    const flagged = await visit(await open.newPage());
    expect(flagged.console).toBeGreaterThan(0);
    expect(flagged.words).not.toEqual([]);
    await open.disconnect();
  });
});
