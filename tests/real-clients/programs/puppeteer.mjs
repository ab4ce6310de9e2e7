// Puppeteer, as docs/connecting.md has it.
import puppeteer from 'puppeteer-core';

const { CDP_URL: cdpUrl, SITE: site, LETTER: letter } = process.env;
const outcome = {};

let browser = await puppeteer.connect({ browserWSEndpoint: cdpUrl, defaultViewport: null });
const page = await browser.newPage();
await page.goto(`${site}/`);
await page.click('#press');
await page.type('#name', 'Ada');
await page.click('#report');
const input = await page.$('#letter');
await input.uploadFile(letter);
await page.waitForFunction(() => document.querySelector('#out').textContent !== '');
outcome.uploaded = await page.$eval('#out', (out) => out.textContent);
outcome.picture = Buffer.from(await page.screenshot())
  .subarray(1, 4)
  .toString();
const second = await browser.newPage();
await second.goto(`${site}/second`);
outcome.second = await second.title();
await browser.disconnect();

browser = await puppeteer.connect({ browserWSEndpoint: cdpUrl, defaultViewport: null });
const pages = await browser.pages();
const again = pages.find((each) => each.url() === `${site}/`);
outcome.pressed = await again.$eval('#press', (button) => button.textContent);
outcome.filled = await again.$eval('#name', (field) => field.value);
outcome.tabs = pages.filter((each) => each.url().startsWith(site)).length;
await browser.disconnect();
console.log(JSON.stringify(outcome));
