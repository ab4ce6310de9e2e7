import type { ServerResponse } from 'node:http';
import type { Browser } from 'playwright-core';
import type { Browser as PuppeteerBrowser } from 'puppeteer-core';
// @ts-expect-error It has no types.
import { By, Key, until } from 'selenium-webdriver';
import type { WorldRequest } from '../fixtures/network/world-proxy.ts';

/** What `Builder.build` resolves to. */
type Selenium = any;

/** One visit to a shop as each client writes it. */

export const typedPassword = 'planted-Password-42';

const pages: Readonly<Record<string, string>> = {
  '/': `<!doctype html><title>Shop</title><h1>Shop</h1>
    <label>Search <input id="search" name="q"></label><a href="/lamp">Lamp</a>
    <script>document.querySelector('#search').addEventListener('keydown', (event) => {
      if (event.key === 'Enter') location.href = '/found?q=' + event.target.value;
    })</script>`,
  '/found': '<!doctype html><title>Found</title><h1>Found</h1><a href="/lamp">Lamp</a>',
  '/lamp': `<!doctype html><title>Lamp</title><h1>Lamp</h1>
    <label>Colour <select id="colour"><option>red</option><option>blue</option></select></label>
    <label><input type="checkbox" id="gift"> Gift wrap</label>
    <label>Password <input id="password" type="password"></label>
    <button onclick="location.href = '/thanks'"><b>Buy</b></button>`,
  '/thanks': '<!doctype html><title>Thanks</title><h1 id="done">Thank you</h1>',
};

export function respond({ path }: WorldRequest, response: ServerResponse): void {
  const [name = ''] = path.split('?');
  response.setHeader('content-type', 'text/html');
  response.end(pages[name] ?? '');
}

export async function shopWithPlaywright(browser: Browser): Promise<void> {
  const page = browser.contexts()[0]?.pages()[0];
  if (!page) throw new Error('The session has no page');
  await page.goto('http://shop.test/');
  await page.fill('#search', 'lamp');
  await page.press('#search', 'Enter');
  await page.waitForURL('**/found?q=lamp');
  await page.getByRole('link', { name: 'Lamp' }).click();
  await page.selectOption('#colour', 'blue');
  await page.getByLabel('Gift wrap').check();
  await page.locator('#password').pressSequentially(typedPassword);
  await page.screenshot();
  await page.getByRole('button', { name: 'Buy' }).click();
  await page.waitForSelector('#done');
  await page.textContent('#done');
  await page.evaluate('document.title');
  await browser.close();
}

export async function shopWithPuppeteer(browser: PuppeteerBrowser): Promise<void> {
  const [page] = await browser.pages();
  if (!page) throw new Error('The session has no page');
  await page.goto('http://shop.test/');
  await page.type('#search', 'lamp');
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  await Promise.all([page.waitForNavigation(), page.click('a')]);
  await page.select('#colour', 'blue');
  await page.locator('#gift').click();
  await page.type('#password', typedPassword);
  await page.screenshot();
  await page.click('button');
  await page.waitForSelector('#done');
  await page.$eval('#done', (element) => element.textContent);
  await page.evaluate('document.title');
  await browser.disconnect();
}

export async function shopWithSelenium(driver: Selenium): Promise<void> {
  await driver.get('http://shop.test/');
  await driver.findElement(By.css('#search')).sendKeys('lamp');
  await driver.findElement(By.css('#search')).sendKeys(Key.ENTER);
  await driver.wait(until.titleIs('Found'));
  await driver.findElement(By.linkText('Lamp')).click();
  await driver.findElement(By.css('#colour')).sendKeys('blue');
  await driver.findElement(By.css('#gift')).click();
  await driver.findElement(By.css('#password')).sendKeys(typedPassword);
  await driver.takeScreenshot();
  await driver.findElement(By.css('button')).click();
  await driver.wait(until.titleIs('Thanks'));
  await driver.findElement(By.css('#done')).getText();
  await driver.executeScript('return document.title');
  await driver.quit();
}
