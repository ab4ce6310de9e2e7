// @ts-expect-error It has no types.
import { Builder, By, logging } from 'selenium-webdriver';
// @ts-expect-error It has no types.
import { Options, ServiceBuilder } from 'selenium-webdriver/chrome.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
// @ts-expect-error It is plain JavaScript.
import { debuggerAddress } from '../real-clients/programs/debugger-address.mjs';
import { type StealthSite, startStealthSite } from './site.ts';

watchLeaks({ wholeFile: true });

const all = new AsyncDisposableStack();
let site: StealthSite;
let driver: any;

beforeAll(async () => {
  site = all.use(await startStealthSite());
  const service = all.use(await sharedService());
  const account = await service.account();
  const { json } = await account.create({ headless: true, stealth: true });
  const bridge = await debuggerAddress(json.cdpUrl);
  all.defer(() => bridge.close());
  const preferences = new logging.Preferences();
  preferences.setLevel(logging.Type.BROWSER, logging.Level.ALL);
  const options = new Options().debuggerAddress(bridge.address);
  options.setLoggingPrefs(preferences);
  driver = await new Builder()
    .forBrowser('chrome')
    .setChromeService(new ServiceBuilder(process.env['CHROMEDRIVER'] ?? '/usr/bin/chromedriver'))
    .setChromeOptions(options)
    .build();
  all.defer(() => driver.quit());
});
afterAll(() => all.disposeAsync());

test('ChromeDriver finds, clicks, types and evaluates, and the page finds no client', async () => {
  await driver.get(site.origin);
  await driver.findElement(By.css('button')).click();
  await driver.findElement(By.css('input')).sendKeys('typed');
  expect(await driver.executeScript('return [clicked, document.querySelector("input").value].join()')).toBe(
    '1,typed',
  );
  expect(await driver.findElement(By.css('#title')).getText()).toBe('top');
  expect(await driver.executeScript('return found.console')).toBe(0);
  await driver.findElement(By.css('a')).click();
  expect(await driver.findElement(By.css('#word')).getText()).toBe('next');
});

test('ChromeDriver uses frames, of the same site and of another', async () => {
  await driver.get(site.origin);
  for (const name of ['same', 'cross']) {
    await driver.switchTo().frame(await driver.findElement(By.name(name)));
    expect(await driver.findElement(By.css('#word')).getText()).toBe(name);
    await driver.switchTo().defaultContent();
  }
});

/** Everything that was written to the console since the last call, again and again. */
function consoleLog(): () => Promise<string> {
  const messages: string[] = [];
  return async () => {
    for (const { message } of await driver.manage().logs().get(logging.Type.BROWSER)) messages.push(message);
    return messages.join('\n');
  };
}

test('ChromeDriver has the log of the console, also of what has no place, and uncaught errors', async () => {
  await driver.get(`${site.origin}/next`);
  await driver.executeScript('console.log("written"); setTimeout("console.warn(\'later\')")');
  await expect.poll(consoleLog()).toMatch(/"written"[\s\S]*"later"/);
  await driver.get(`${site.origin}/errors`);
  await expect.poll(consoleLog()).toMatch(/Uncaught \(in promise\)/);
  expect(await driver.executeScript('return 1')).toBe(1);
});
