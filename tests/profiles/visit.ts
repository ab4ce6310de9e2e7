import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { corners, type Gathered } from './agreement.ts';
import type { SignalServer } from './signal-server.ts';

const gatheredAre = (count: number) =>
  `typeof gathered !== 'undefined' && Object.keys(gathered).length === ${count}`;
/** The popup comes last: the page behind it may be hidden by it, where neither frames nor layout go on. */
const beforePopup = gatheredAre(corners.length - 1);
const complete = gatheredAre(corners.length);
const timeout = 15_000;
/** Not with each drawn frame, which a hidden page has none of. */
const polling = 20;

/** Opens the site as a client would, gathers what each corner of it says, and leaves. */
export const visits = {
  async Playwright(cdpUrl: string, { origin }: SignalServer): Promise<Gathered> {
    const browser = await chromium.connectOverCDP(cdpUrl);
    const page = await browser.contexts()[0]?.newPage();
    if (!page) throw new Error('no default context');
    await page.goto(`${origin}/top?update`);
    await page.waitForFunction(beforePopup, undefined, { timeout, polling });
    await page.evaluate('openPopup()');
    await page.waitForFunction(complete, undefined, { timeout, polling });
    const gathered = (await page.evaluate('gathered')) as Gathered;
    await browser.close();
    return gathered;
  },
  async Puppeteer(cdpUrl: string, { origin }: SignalServer): Promise<Gathered> {
    const browser = await puppeteer.connect({ browserWSEndpoint: cdpUrl, defaultViewport: null });
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.goto(`${origin}/top`);
    await page.waitForFunction(beforePopup, { timeout, polling });
    await page.evaluate('openPopup()');
    await page.waitForFunction(complete, { timeout, polling });
    const gathered = (await page.evaluate('gathered')) as Gathered;
    await context.close();
    await browser.disconnect();
    return gathered;
  },
};
