// WebdriverIO 9: over BiDi, which it asks for by itself, or over WebDriver alone.
import { remote } from 'webdriverio';

const { WEBDRIVER_URL: webdriverUrl, SITE: site, LETTER_HERE: letter } = process.env;
const isClassic = process.argv[2] === 'classic';
const { hostname, port, pathname } = new URL(webdriverUrl);
const outcome = {};

const connect = () =>
  remote({
    ...{ protocol: 'http', hostname, port: Number(port), path: pathname, logLevel: 'error' },
    capabilities: { browserName: 'chrome', ...(isClassic && { 'wdio:enforceWebDriverClassic': true }) },
  });

let browser = await connect();
outcome.isBidi = browser.isBidi;
await browser.url(`${site}/`);
await browser.$('#press').click();
await browser.$('#name').setValue('Ada');
await browser.$('#report').click();
await browser.$('#letter').setValue(await browser.uploadFile(letter));
const out = browser.$('#out');
await out.waitUntil(async () => (await out.getText()).includes(':'));
outcome.uploaded = await out.getText();
outcome.picture = Buffer.from(await browser.takeScreenshot(), 'base64')
  .subarray(1, 4)
  .toString();
await browser.newWindow(`${site}/second`);
outcome.second = await browser.getTitle();
await browser.deleteSession();

browser = await connect();
outcome.tabs = 0;
for (const handle of await browser.getWindowHandles()) {
  await browser.switchToWindow(handle);
  const url = await browser.getUrl();
  if (url.startsWith(site)) outcome.tabs += 1;
  if (url !== `${site}/`) continue;
  outcome.pressed = await browser.$('#press').getText();
  outcome.filled = await browser.$('#name').getValue();
}
await browser.deleteSession();
console.log(JSON.stringify(outcome));
