import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  newRequest,
  type OpenedSession,
  startTestHost,
  type TestHost,
} from '@turnpike/host/testing/test-host';
import { chromium } from 'playwright-core';
// @ts-expect-error It has no types.
import { Builder, By, Capabilities, until } from 'selenium-webdriver';
// @ts-expect-error It has no types.
import remote from 'selenium-webdriver/remote/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Squid, startSquid } from '../fixtures/network/squid.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { connectBidi } from './bidi-connection.ts';
import { type Site, startSite } from './site.ts';
import { command, newWebdriver, webdriverUrl } from './webdriver-command.ts';

watchLeaks({ wholeFile: true });

const all = new AsyncDisposableStack();
let site: Site;
let squid: Squid;
let running: TestHost;
let session: OpenedSession;
let scratch: string;

beforeAll(async () => {
  site = all.use(await startSite());
  squid = all.use(await startSquid());
  running = all.use(await startTestHost());
  scratch = all.use(await scratchDirectory('turnpike-webdriver')).path;
  session = await running.open(newRequest(squid.upstream));
});
afterAll(() => all.disposeAsync());

type Selenium = Awaited<ReturnType<typeof Builder.prototype.build>>;

async function connect(to: OpenedSession, more: Record<string, unknown> = {}): Promise<Selenium> {
  return await new Builder()
    .usingServer(webdriverUrl(to))
    .withCapabilities(new Capabilities({ browserName: 'chrome', ...more }))
    .build();
}

test('Selenium drives a session: elements, frames, windows, prompts, cookies, pictures, PDF, logs', async () => {
  const driver = await connect(session, { 'goog:loggingPrefs': { browser: 'ALL' } });
  await driver.get(`${site.origin}/`);
  await driver.findElement(By.css('#press')).click();
  await driver.findElement(By.css('#name')).sendKeys('Ada');
  expect(await driver.findElement(By.css('#name')).getAttribute('value')).toBe('Ada');
  await driver.switchTo().frame(await driver.findElement(By.css('#frame')));
  expect(await driver.findElement(By.css('#inner')).getText()).toBe('inner text');
  await driver.switchTo().defaultContent();
  await driver.findElement(By.css('#ask')).click();
  const prompt = await driver.wait(until.alertIsPresent());
  expect(await prompt.getText()).toBe('Sure?');
  await prompt.accept();
  expect(await driver.findElement(By.css('#out')).getText()).toBe('true');
  expect((await driver.manage().getCookies()).map(({ name }: { name: string }) => name)).toEqual(['visited']);
  expect(Buffer.from(await driver.takeScreenshot(), 'base64').toString('latin1', 1, 4)).toBe('PNG');
  expect(Buffer.from(await driver.printPage(), 'base64').toString('latin1', 0, 5)).toBe('%PDF-');
  const logged = await driver.manage().logs().get('browser');
  expect(logged.map(({ message }: { message: string }) => message).join()).toContain('"pressed" 7');
  const first = await driver.getWindowHandle();
  await driver.findElement(By.css('#second')).click();
  await driver.wait(async () => (await driver.getAllWindowHandles()).length === 2);
  const handles = await driver.getAllWindowHandles();
  await driver.switchTo().window(handles.find((handle: string) => handle !== first) ?? '');
  await driver.wait(until.titleIs('Second'));
  await driver.close();
  await driver.switchTo().window(first);
  await driver.quit();
  // The session outlives its clients.
  const again = await connect(session);
  expect(await again.findElement(By.css('#press')).getText()).toBe('pressed');
  await again.quit();
});

test('files go to the browser and back by Selenium’s endpoints', async () => {
  const driver = await connect(session, { 'se:downloadsEnabled': true });
  await driver.get(`${site.origin}/`);
  const letter = join(scratch, 'letter.txt');
  writeFileSync(letter, `Dear Ada, ${'x'.repeat(100_000)}`);
  driver.setFileDetector(new remote.FileDetector());
  await driver.findElement(By.css('#letter')).sendKeys(letter);
  const out = await driver.findElement(By.css('#out'));
  await driver.wait(until.elementTextContains(out, 'letter.txt'));
  expect(await out.getText()).toBe('letter.txt: 100010 Dear Ada, xxxxxxxxxx');
  await driver.findElement(By.css('#report')).click();
  await driver.wait(async () => (await namesOf(driver)).includes('report.txt'));
  await driver.downloadFile('report.txt', scratch);
  // Selenium's promise does not wait for the file.
  const report = join(scratch, 'report.txt');
  await expect.poll(() => existsSync(report) && readFileSync(report, 'latin1')).toBe('the report');
  await driver.deleteDownloadableFiles();
  expect(await namesOf(driver)).toEqual([]);
  await driver.quit();
});

async function namesOf(driver: Selenium): Promise<string[]> {
  const listed = (await driver.getDownloadableFiles()) as unknown;
  return Array.isArray(listed) ? listed : (listed as { names: string[] }).names;
}

test('an answer has the addresses of the other protocols, and all drive the same page', async () => {
  const { id, capabilities } = await newWebdriver(session, {
    webSocketUrl: true,
    'goog:chromeOptions': { args: ['--no-sandbox'], binary: '/bin/sh', debuggerAddress: '127.0.0.1:1' },
  });
  expect(capabilities['se:cdp']).toBe(session.url);
  expect(capabilities['webSocketUrl']).toBe(`${session.url.replace('/cdp/', '/bidi/')}/session/${id}`);
  await command(session, 'POST', `/session/${id}/url`, { url: `${site.origin}/` });
  await using bidi = await connectBidi(String(capabilities['webSocketUrl']));
  await bidi.call('session.subscribe', { events: ['log.entryAdded'] });
  const browser = await chromium.connectOverCDP(String(capabilities['se:cdp']));
  await browser.contexts()[0]?.pages()[0]?.click('#press');
  await expect.poll(() => bidi.events.map(({ params }) => params.text)).toContain('pressed 7');
  const script = { script: 'return press.textContent', args: [] };
  expect((await command(session, 'POST', `/session/${id}/execute/sync`, script)).value).toBe('pressed');
  await browser.close();
  await command(session, 'DELETE', `/session/${id}`);
});

test('what cannot be is refused in the standard’s words', async () => {
  const { id } = await newWebdriver(session);
  const refused = async (method: string, path: string, body?: object) => {
    const { status, value } = await command(session, method, path, body);
    return `${status} ${String(value['error'])}`;
  };
  const proxy = { proxyType: 'manual', httpProxy: '127.0.0.1:1' };
  const withProxy = { capabilities: { alwaysMatch: { proxy } } };
  expect(await refused('POST', '/session', withProxy)).toBe('500 session not created');
  expect(await refused('POST', '/session', { capabilities: 7 })).toBe('400 invalid argument');
  const firefox = { capabilities: { alwaysMatch: { browserName: 'firefox' } } };
  expect(await refused('POST', '/session', firefox)).toMatch(/^\d+ (session not created|invalid argument)$/);
  expect(await refused('GET', '/session/nothing/url')).toBe('404 invalid session id');
  expect(await refused('POST', '/shutdown')).toBe('404 unknown command');
  expect(await refused('POST', `/session/${id}/se/file`, { nothing: 1 })).toBe('400 invalid argument');
  const noZip = { file: randomBytes(300).toString('base64') };
  expect(await refused('POST', `/session/${id}/se/file`, noZip)).toBe('400 invalid argument');
  expect(await refused('POST', `/session/${id}/se/files`, { name: '../profile/Local State' })).toBe(
    '400 invalid argument',
  );
  await command(session, 'DELETE', `/session/${id}`);
});

test.each([
  ['accept', 200, true],
  ['accept and notify', 500, false],
  ['dismiss and notify', 500, false],
  ['ignore', 500, false],
])('with a prompt open and `%s`, adding a cookie is %i', async (behavior, status, isAdded) => {
  const { id } = await newWebdriver(session, { unhandledPromptBehavior: behavior });
  const run = (method: string, path: string, body?: object) =>
    command(session, method, `/session/${id}${path}`, body);
  await run('POST', '/url', { url: `${site.origin}/second` });
  const ask = { script: "setTimeout(() => confirm('Sure?'))", args: [] };
  await run('POST', '/execute/sync', ask);
  await expect.poll(async () => (await run('GET', '/alert/text')).value).toBe('Sure?');
  const added = await run('POST', '/cookie', { cookie: { name: 'added', value: 'yes' } });
  expect(added.status).toBe(status);
  if (status === 500) expect(added.value).toMatchObject({ error: 'unexpected alert open' });
  if (behavior === 'ignore') await run('POST', '/alert/dismiss', {});
  expect((await run('GET', '/cookie/added')).status).toBe(isAdded ? 200 : 404);
  // The next WebDriver session has the same browser, and so its cookies.
  await run('DELETE', '/cookie');
  await run('DELETE', '');
});

test('a session goes on when its WebDriver session ends, and the next one finds its pages', async () => {
  const first = await newWebdriver(session);
  await command(session, 'POST', `/session/${first.id}/url`, { url: `${site.origin}/` });
  expect(await command(session, 'DELETE', `/session/${first.id}`)).toMatchObject({ status: 200 });
  const next = await newWebdriver(session);
  expect(await command(session, 'GET', `/session/${next.id}/url`)).toMatchObject({
    value: `${site.origin}/`,
  });
  await command(session, 'DELETE', `/session/${next.id}`);
});
