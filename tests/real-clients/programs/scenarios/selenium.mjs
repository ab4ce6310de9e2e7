// Selenium for JavaScript at the gateway's address, with the key in the capabilities; or at a session's own.
import { readFile } from 'node:fs/promises';
import { Browser, Builder, By, until } from 'selenium-webdriver';
import { AddInterceptParameters } from 'selenium-webdriver/bidi/addInterceptParameters.js';
import getBrowser from 'selenium-webdriver/bidi/browser.js';
import getBrowsingContext from 'selenium-webdriver/bidi/browsingContext.js';
import { CreateContextParameters } from 'selenium-webdriver/bidi/createContextParameters.js';
import { InterceptPhase } from 'selenium-webdriver/bidi/interceptPhase.js';
import { Network } from 'selenium-webdriver/bidi/network.js';
import { BytesValue } from 'selenium-webdriver/bidi/networkTypes.js';
import { ProvideResponseParameters } from 'selenium-webdriver/bidi/provideResponseParameters.js';
import chrome from 'selenium-webdriver/chrome.js';
import remote from 'selenium-webdriver/remote/index.js';
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

const options = new chrome.Options();
options.enableBidi();
options.enableDownloads();
options.set('turnpike:options', { key, proxy, headless: true });
const driver = await new Builder()
  .usingServer(process.env.AT === 'session' ? process.env.WEBDRIVER_URL : gateway)
  .forBrowser(Browser.CHROME)
  .setChromeOptions(options)
  .build();
driver.setFileDetector(new remote.FileDetector());
const element = (selector) => driver.findElement(By.css(selector));
const text = (selector) => element(selector).getText();

await runScenarios({
  async navigate() {
    await driver.get(`${site}/second`);
    await driver.get(`${site}/`);
    await driver.navigate().back();
    equal(await driver.getTitle(), 'Second');
    await driver.navigate().forward();
    await driver.navigate().refresh();
    equal(await driver.getCurrentUrl(), `${site}/`);
  },
  async find() {
    equal((await driver.findElements(By.css('button'))).length, 3);
    equal(await text('#press'), 'Press');
  },
  async click() {
    await element('#press').click();
    equal(await text('#press'), 'pressed');
  },
  async type() {
    await element('#name').sendKeys('Ada');
    equal(await element('#name').getProperty('value'), 'Ada');
  },
  async frames() {
    await driver.switchTo().frame(await element('#frame'));
    await element('#inside').click();
    equal(await text('#inside'), 'inner');
    await driver.switchTo().defaultContent();
  },
  async windows() {
    const first = await driver.getWindowHandle();
    await element('#second').click();
    await becomes(async () => (await driver.getAllWindowHandles()).length, 2);
    const handles = await driver.getAllWindowHandles();
    await driver.switchTo().window(handles.find((handle) => handle !== first));
    await becomes(() => driver.getTitle(), 'Second');
    await driver.close();
    await driver.switchTo().window(first);
  },
  async alerts() {
    await element('#ask').click();
    const prompt = await driver.wait(until.alertIsPresent(), 10_000);
    await prompt.sendKeys('Ada');
    await prompt.accept();
    equal(await text('#out'), 'Ada');
  },
  async upload() {
    await element('#letter').sendKeys(letter);
    await becomes(() => text('#out'), 'letter.txt: dear all');
  },
  async 'upload 80 MB'() {
    await element('#letter').sendKeys(large);
    await becomes(() => text('#size'), String(largeBytes));
  },
  async download() {
    await element('#report').click();
    await becomes(async () => (await driver.getDownloadableFiles()).includes('report.txt'), true);
    await driver.downloadFile('report.txt', scratch);
    // It resolves before the file is written.
    await becomes(() => readFile(`${scratch}/report.txt`, 'utf8').catch(() => undefined), 'the report');
  },
  async screenshot() {
    equal(Buffer.from(await driver.takeScreenshot(), 'base64').toString('latin1', 1, 4), 'PNG');
  },
  async PDF() {
    equal(Buffer.from(await driver.printPage(), 'base64').toString('latin1', 0, 5), '%PDF-');
  },
  async intercept() {
    const network = await Network(driver);
    const body = new BytesValue(BytesValue.Type.STRING, 'from the client');
    await network.beforeRequestSent((event) => {
      // It is called for other messages too, with null.
      if (!event?.request.url.endsWith('/made-up')) return;
      const answer = new ProvideResponseParameters(event.request.request).statusCode(200).body(body);
      void network.provideResponse(answer);
    });
    const intercept = await network.addIntercept(
      new AddInterceptParameters(InterceptPhase.BEFORE_REQUEST_SENT).urlStringPattern(`${site}/made-up`),
    );
    await driver.get(`${site}/made-up`);
    equal(await text('body'), 'from the client');
    await network.removeIntercept(intercept);
    await network.close();
  },
  async log() {
    const { promise, resolve } = Promise.withResolvers();
    const id = await driver.script().addConsoleMessageHandler((entry) => resolve(entry.text));
    await driver.get(`${site}/`);
    await element('#log').click();
    equal(await promise, 'a line');
    await driver.script().removeConsoleMessageHandler(id);
  },
  async cookies() {
    await driver.manage().addCookie({ name: 'flavour', value: 'oat' });
    await driver.get(`${site}/cookies`);
    equal(await text('body'), 'flavour=oat');
    equal((await driver.manage().getCookie('flavour')).value, 'oat');
  },
  async contexts() {
    const browser = await getBrowser(driver);
    const userContext = await browser.createUserContext();
    const tab = await getBrowsingContext(driver, {
      ...{ type: 'tab', createParameters: new CreateContextParameters().userContext(userContext) },
    });
    await driver.switchTo().window(tab.id);
    await driver.get(`${site}/cookies`);
    equal(await text('body'), '');
    await browser.removeUserContext(userContext);
  },
});
await driver.quit();
