// Scripts for Playwright, as the guides of Browserless write them: over CDP, by HTTP discovery, and by its own protocol.
import { chromium } from 'playwright-core';

const { BROWSERLESS_WS, BROWSERLESS_HTTP, BROWSERLESS_PLAYWRIGHT, PAGE } = process.env;

async function read(browser) {
  const context = browser.contexts()[0] ?? (await browser.newContext());
  const page = await context.newPage();
  await page.goto(PAGE);
  const title = await page.title();
  const heading = await page.textContent('h1');
  await browser.close();
  return `${title}: ${heading}`;
}

const overCdp = await read(await chromium.connectOverCDP(BROWSERLESS_WS));
const discovered = await read(await chromium.connectOverCDP(BROWSERLESS_HTTP));
const connected = await read(await chromium.connect(BROWSERLESS_PLAYWRIGHT));
console.log(JSON.stringify({ overCdp, discovered, connected }));
