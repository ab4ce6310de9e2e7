// Puppeteer over WebDriver BiDi, at a session's bidiUrl.
import { readFile } from 'node:fs/promises';
import puppeteer from 'puppeteer-core';
import { becomes, equal, large, largeBytes, letter, runScenarios, site } from './run-scenarios.mjs';

const browser = await puppeteer.connect({
  browserWSEndpoint: process.env.BIDI_URL,
  protocol: 'webDriverBiDi',
});
const page = await browser.newPage();
const text = (selector) => page.$eval(selector, (element) => element.textContent);

const files = `${process.env.CDP_URL.replace('ws', 'http')}/files`;

async function put(name, path) {
  equal((await fetch(`${files}/${name}`, { method: 'PUT', body: await readFile(path) })).status, 200);
}

await runScenarios({
  async navigate() {
    await page.goto(`${site}/second`);
    await page.goto(`${site}/`);
    await page.goBack();
    equal(await page.title(), 'Second');
    await page.goForward();
    await page.reload();
    equal(page.url(), `${site}/`);
  },
  async find() {
    equal((await page.$$('button')).length, 3);
    equal(await text('#press'), 'Press');
  },
  async click() {
    await page.click('#press');
    equal(await text('#press'), 'pressed');
  },
  async type() {
    await page.type('#name', 'Ada');
    equal(await page.$eval('#name', (element) => element.value), 'Ada');
  },
  async frames() {
    const frame = await (await page.$('#frame')).contentFrame();
    await frame.click('#inside');
    equal(await frame.$eval('#inside', (element) => element.textContent), 'inner');
  },
  async windows() {
    const opened = new Promise((resolve) => page.once('popup', resolve));
    await page.click('#second');
    const popup = await opened;
    await becomes(() => popup.title(), 'Second');
    await popup.close();
  },
  async alerts() {
    page.once('dialog', (dialog) => void dialog.accept('Ada'));
    await page.click('#ask');
    await becomes(() => text('#out'), 'Ada');
  },
  // BiDi has no way to send a file, only paths of the browser's machine. So files go by the session's files.
  async upload() {
    await put('letter.txt', letter);
    await (await page.$('#letter')).uploadFile('/home/user/files/letter.txt');
    await becomes(() => text('#out'), 'letter.txt: dear all');
  },
  async 'upload 80 MB'() {
    await put('large.bin', large);
    await (await page.$('#letter')).uploadFile('/home/user/files/large.bin');
    await becomes(() => text('#size'), String(largeBytes));
  },
  async download() {
    await page.click('#report');
    await becomes(async () => (await fetch(`${files}/report.txt`)).status, 200);
    equal(await (await fetch(`${files}/report.txt`)).text(), 'the report');
  },
  async screenshot() {
    equal(Buffer.from(await page.screenshot()).toString('latin1', 1, 4), 'PNG');
  },
  async PDF() {
    equal(Buffer.from(await page.pdf()).toString('latin1', 0, 5), '%PDF-');
  },
  async intercept() {
    await page.setRequestInterception(true);
    page.on('request', (request) =>
      request.url().endsWith('/made-up') ? request.respond({ body: 'from the client' }) : request.continue(),
    );
    await page.goto(`${site}/made-up`);
    equal(await text('body'), 'from the client');
    page.removeAllListeners('request');
    await page.setRequestInterception(false);
  },
  async log() {
    await page.goto(`${site}/`);
    const logged = new Promise((resolve) => page.once('console', resolve));
    await page.click('#log');
    equal((await logged).text(), 'a line');
  },
  async cookies() {
    await browser.setCookie({ name: 'flavour', value: 'oat', domain: '127.0.0.1', path: '/' });
    await page.goto(`${site}/cookies`);
    equal(await text('body'), 'flavour=oat');
    equal((await browser.cookies()).find(({ name }) => name === 'flavour').value, 'oat');
  },
  async contexts() {
    const context = await browser.createBrowserContext();
    const other = await context.newPage();
    await other.goto(`${site}/cookies`);
    equal(await other.$eval('body', (element) => element.textContent), '');
    await context.close();
  },
});
await browser.disconnect();
