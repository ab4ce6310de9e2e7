// Selenium by a ChromeDriver of the client's own, which reaches a session's CDP URL by a bridge.
import { Builder, By, until } from 'selenium-webdriver';
import chrome from 'selenium-webdriver/chrome.js';
import { debuggerAddress } from './debugger-address.mjs';

const { CDP_URL: cdpUrl, SITE: site, LETTER: letter } = process.env;
const outcome = {};

const bridge = await debuggerAddress(cdpUrl);
const connect = () =>
  new Builder()
    .forBrowser('chrome')
    .setChromeService(new chrome.ServiceBuilder(process.env.CHROMEDRIVER ?? '/usr/bin/chromedriver'))
    .setChromeOptions(new chrome.Options().debuggerAddress(bridge.address))
    .build();

let driver = await connect();
await driver.get(`${site}/`);
await driver.findElement(By.css('#press')).click();
await driver.findElement(By.css('#name')).sendKeys('Ada');
await driver.findElement(By.css('#report')).click();
// ChromeDriver asks the browser, so the path is the browser's.
await driver.findElement(By.css('#letter')).sendKeys(letter);
const out = await driver.findElement(By.css('#out'));
await driver.wait(until.elementTextContains(out, ':'), 10_000);
outcome.uploaded = await out.getText();
outcome.picture = Buffer.from(await driver.takeScreenshot(), 'base64')
  .subarray(1, 4)
  .toString();
await driver.switchTo().newWindow('tab');
await driver.get(`${site}/second`);
outcome.second = await driver.getTitle();
await driver.quit();

driver = await connect();
outcome.tabs = 0;
for (const handle of await driver.getAllWindowHandles()) {
  await driver.switchTo().window(handle);
  const url = await driver.getCurrentUrl();
  if (url.startsWith(site)) outcome.tabs += 1;
  if (url !== `${site}/`) continue;
  outcome.pressed = await driver.findElement(By.css('#press')).getText();
  outcome.filled = await driver.findElement(By.css('#name')).getAttribute('value');
}
await driver.quit();
bridge.close();
console.log(JSON.stringify(outcome));
