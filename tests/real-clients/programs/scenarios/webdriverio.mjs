// WebdriverIO at the gateway's address, with the key in the capabilities. MODE: bidi, its default, or classic.
import { readFile } from 'node:fs/promises';
import { remote } from 'webdriverio';
import {
  becomes,
  equal,
  gateway,
  key,
  large,
  largeBytes,
  letter,
  proxy,
  runScenarios,
  scratch,
  site,
} from './run-scenarios.mjs';

const isBidi = process.env.MODE === 'bidi';
const { hostname, port } = new URL(gateway);
const browser = await remote({
  ...{ protocol: 'http', hostname, port: Number(port), path: '/', logLevel: 'error' },
  capabilities: {
    browserName: 'chrome',
    'se:downloadsEnabled': true,
    'wdio:enforceWebDriverClassic': !isBidi,
    'turnpike:options': { key, proxy, headless: true },
  },
});
equal(browser.isBidi, isBidi);
const text = (selector) => browser.$(selector).getText();

const scenarios = {
  async navigate() {
    await browser.url(`${site}/second`);
    await browser.url(`${site}/`);
    await browser.back();
    equal(await browser.getTitle(), 'Second');
    await browser.forward();
    await browser.refresh();
    equal(await browser.getUrl(), `${site}/`);
  },
  async find() {
    equal(await browser.$$('button').length, 3);
    equal(await browser.$('button=Press').getText(), 'Press');
  },
  async click() {
    await browser.$('#press').click();
    equal(await text('#press'), 'pressed');
  },
  async type() {
    await browser.$('#name').setValue('Ada');
    equal(await browser.$('#name').getValue(), 'Ada');
  },
  async frames() {
    await browser.switchFrame(browser.$('#frame'));
    await browser.$('#inside').click();
    equal(await text('#inside'), 'inner');
    await browser.switchFrame(null);
  },
  async windows() {
    const first = await browser.getWindowHandle();
    await browser.$('#second').click();
    await becomes(async () => (await browser.getWindowHandles()).length, 2);
    const handles = await browser.getWindowHandles();
    await browser.switchToWindow(handles.find((handle) => handle !== first));
    await becomes(() => browser.getTitle(), 'Second');
    await browser.closeWindow();
    await browser.switchToWindow(first);
  },
  async alerts() {
    if (isBidi) browser.once('dialog', (dialog) => void dialog.accept('Ada'));
    await browser.$('#ask').click();
    if (!isBidi) {
      await browser.sendAlertText('Ada');
      await browser.acceptAlert();
    }
    await becomes(() => text('#out'), 'Ada');
  },
  async upload() {
    await browser.$('#letter').setValue(await browser.uploadFile(letter));
    await becomes(() => text('#out'), 'letter.txt: dear all');
  },
  async 'upload 80 MB'() {
    await browser.$('#letter').setValue(await browser.uploadFile(large));
    await becomes(() => text('#size'), String(largeBytes));
  },
  async download() {
    await browser.$('#report').click();
    const isThere = async () => (await browser.getDownloadableFiles()).names.includes('report.txt');
    await becomes(isThere, true);
    await browser.downloadFile('report.txt', scratch);
    equal(await readFile(`${scratch}/report.txt`, 'utf8'), 'the report');
  },
  async screenshot() {
    equal((await browser.saveScreenshot(`${scratch}/page.png`)).toString('latin1', 1, 4), 'PNG');
  },
  async PDF() {
    equal((await browser.savePDF(`${scratch}/page.pdf`)).toString('latin1', 0, 5), '%PDF-');
  },
  async cookies() {
    await browser.setCookies({ name: 'flavour', value: 'oat' });
    await browser.url(`${site}/cookies`);
    equal(await text('body'), 'flavour=oat');
    equal((await browser.getCookies(['flavour']))[0].value, 'oat');
  },
};

const onlyBidi = {
  async log() {
    await browser.url(`${site}/`);
    const { promise, resolve } = Promise.withResolvers();
    await browser.sessionSubscribe({ events: ['log.entryAdded'] });
    browser.on('log.entryAdded', (entry) => resolve(entry.text));
    await browser.$('#log').click();
    equal(await promise, 'a line');
  },
  async intercept() {
    const mock = await browser.mock(`${site}/made-up`);
    mock.respond('from the client');
    await browser.url(`${site}/made-up`);
    equal(await text('body'), 'from the client');
    await mock.restore();
  },
  async contexts() {
    const { userContext } = await browser.browserCreateUserContext({});
    const { context } = await browser.browsingContextCreate({ type: 'tab', userContext });
    await browser.switchToWindow(context);
    await browser.url(`${site}/cookies`);
    equal(await text('body'), '');
    await browser.browserRemoveUserContext({ userContext });
  },
};

await runScenarios(isBidi ? { ...scenarios, ...onlyBidi } : scenarios);
await browser.deleteSession();
