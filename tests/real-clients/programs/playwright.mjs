// Playwright for Node, as docs/connecting.md has it.
import { chromium } from 'playwright-core';

const { CDP_URL: cdpUrl, SITE: site } = process.env;
const outcome = {};

let browser = await chromium.connectOverCDP(cdpUrl);
const context = browser.contexts()[0];
const page = await context.newPage();
await page.goto(`${site}/`);
await page.click('#press');
await page.fill('#name', 'Ada');
const [download] = await Promise.all([page.waitForEvent('download'), page.click('#report')]);
outcome.download = download.suggestedFilename();
// Playwright looks for a path on this machine, so it is given the content.
await page.setInputFiles('#letter', {
  name: 'letter.txt',
  mimeType: 'text/plain',
  buffer: Buffer.from('dear all'),
});
await page.waitForFunction(() => document.querySelector('#out').textContent !== '');
outcome.uploaded = await page.textContent('#out');
outcome.picture = (await page.screenshot()).subarray(1, 4).toString();
const second = await context.newPage();
await second.goto(`${site}/second`);
outcome.second = await second.title();
await browser.close();

browser = await chromium.connectOverCDP(cdpUrl);
const again = browser
  .contexts()[0]
  .pages()
  .find((each) => each.url() === `${site}/`);
outcome.pressed = await again.textContent('#press');
outcome.filled = await again.inputValue('#name');
outcome.tabs = browser
  .contexts()[0]
  .pages()
  .filter((each) => each.url().startsWith(site)).length;
await browser.close();
console.log(JSON.stringify(outcome));
