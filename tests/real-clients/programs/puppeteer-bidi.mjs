// Puppeteer over WebDriver BiDi.
import puppeteer from 'puppeteer-core';

const { BIDI_URL: browserWSEndpoint, SITE: site, LETTER: letter } = process.env;
const outcome = {};

const connect = () => puppeteer.connect({ browserWSEndpoint, protocol: 'webDriverBiDi' });

let browser = await connect();
const page = await browser.newPage();
await page.goto(`${site}/`);
await page.click('#press');
await page.type('#name', 'Ada');
await page.click('#report');
const input = await page.$('#letter');
await input.uploadFile(letter);
await page.waitForFunction(() => document.querySelector('#out').textContent !== '');
outcome.uploaded = await page.$eval('#out', ({ textContent }) => textContent);
outcome.picture = Buffer.from(await page.screenshot())
  .subarray(1, 4)
  .toString();
const second = await browser.newPage();
await second.goto(`${site}/second`);
outcome.second = await second.title();
await browser.disconnect();

browser = await connect();
const pages = await browser.pages();
const again = pages.find((one) => one.url() === `${site}/`);
outcome.pressed = await again.$eval('#press', ({ textContent }) => textContent);
outcome.filled = await again.$eval('#name', ({ value }) => value);
outcome.tabs = pages.filter((one) => one.url().startsWith(site)).length;
await browser.disconnect();
console.log(JSON.stringify(outcome));
