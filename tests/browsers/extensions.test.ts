import { generateKeyPairSync } from 'node:crypto';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { extensionFiles, packCrx, packZip } from '../fixtures/extensions/packed-extension.ts';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { type Squid, startSquid } from '../fixtures/network/squid.ts';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';
import { type SharedService, sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { testEach } from '../fixtures/suite/matrix.ts';

watchLeaks();

const all = new AsyncDisposableStack();
let web: WebServer;
let squid: Squid;
let service: SharedService;
let account: TestAccount;

beforeAll(async () => {
  web = all.use(await startWebServer());
  squid = all.use(await startSquid());
  service = all.use(await sharedService());
  account = await service.account();
});
afterAll(() => all.disposeAsync());

async function upload(file: Buffer): Promise<{ status: number; json: any }> {
  const answer = await fetch(`${service.gatewayUrl}/user/api/extensions`, {
    method: 'POST',
    headers: { 'x-api-key': account.key },
    body: new Uint8Array(file),
  });
  return { status: answer.status, json: await answer.json() };
}

/** Tries to go around the proxy from its worker, and shows a page what came of it. */
const probe = (name: string) =>
  packZip(
    extensionFiles(
      {
        name,
        permissions: ['proxy', 'nativeMessaging'],
        host_permissions: ['<all_urls>'],
        background: { service_worker: 'worker.js' },
        content_scripts: [{ matches: ['<all_urls>'], js: ['content.js'] }],
      },
      {
        'worker.js': `
          const get = (from) => fetch('${web.origin}/echo?from=' + from).then(({ status }) => status, String);
          async function look() {
            const set = (value) => chrome.proxy.settings.set({ value });
            await set({ mode: 'direct' });
            const direct = await get('worker');
            await set({ mode: 'fixed_servers', rules: { singleProxy: { host: '127.0.0.1', port: 9 } } });
            const other = await get('worker-again');
            const { levelOfControl } = await chrome.proxy.settings.get({});
            const native = await chrome.runtime.sendNativeMessage('some.host', {}).then(String, String);
            return { direct, other, levelOfControl, native, id: chrome.runtime.id };
          }
          chrome.runtime.onMessage.addListener((_message, _sender, reply) => {
            look().then(reply, (error) => reply({ error: String(error) }));
            return true;
          });`,
        'content.js': `
          fetch('${web.origin}/echo?from=content')
            .then(() => chrome.runtime.sendMessage('look'))
            .then((found) => { document.documentElement.dataset.found = JSON.stringify(found); });`,
      },
    ),
  );

async function found(browser: Browser, { newContext = false } = {}): Promise<unknown> {
  const own = browser.contexts()[0];
  const context = newContext || !own ? await browser.newContext() : own;
  const page = await context.newPage();
  await page.goto(web.origin);
  await page.waitForSelector('html[data-found]');
  return JSON.parse((await page.getAttribute('html', 'data-found')) ?? '');
}

testEach({
  quick: [{ headless: true }],
  slow: [{ headless: false }, { headless: true, stealth: true, record: true, profile: 'new' }],
})('an extension works, and cannot go around the proxy, in a session with %j', async (params) => {
  const { status, json: extension } = await upload(probe('Probe'));
  expect(status).toBe(200);
  expect(extension).toMatchObject({ name: 'Probe', version: '1.0' });
  const before = web.requests.length;
  const proxy = `http://${squid.url}`;
  const created = await account.create({ ...params, proxy, extensions: ['Probe'] });
  expect(created).toMatchObject({ status: 200, json: { browserParams: { extensions: ['Probe'] } } });
  const browser = await chromium.connectOverCDP(created.json.cdpUrl);
  const seen = {
    direct: 200,
    other: 200,
    levelOfControl: 'not_controllable',
    id: extension.id,
    native: expect.stringMatching(/native messaging/),
  };
  expect(await found(browser)).toEqual(seen);
  expect(await found(browser, { newContext: true })).toEqual(seen);
  const fromExtension = web.requests.slice(before).filter(({ path }) => path.includes('from='));
  expect(new Set(fromExtension.map(({ path }) => path))).toEqual(
    new Set(['/echo?from=content', '/echo?from=worker', '/echo?from=worker-again']),
  );
  // All came through Squid, and are in the ledger.
  expect(fromExtension.filter(({ headers }) => !String(headers.via).includes('squid'))).toEqual([]);
  const { json: traffic } = await account.get(`/api/browser/${created.json.browserId}/traffic`);
  const destination = traffic.destinations.find(({ port }: { port: number }) => port === web.port);
  expect(destination.requests).toBeGreaterThanOrEqual(fromExtension.length);
  await account.close(created.json.browserId);
  await browser.close();
});

test('a crx file keeps its id in the browser, and several extensions are loaded', async () => {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const script = (name: string) =>
    extensionFiles(
      { name, content_scripts: [{ matches: ['<all_urls>'], js: ['a/b/content.js'] }] },
      { 'a/b/content.js': `document.documentElement.dataset[${JSON.stringify(name)}] = chrome.runtime.id` },
    );
  const one = await upload(packCrx(packZip(script('one')), keys));
  const two = await upload(packZip(script('two')));
  const extensions = [one.json.id, 'two'];
  const { json } = await account.create({ headless: true, extensions });
  const browser = await chromium.connectOverCDP(json.cdpUrl);
  const page = await (browser.contexts()[0] ?? (await browser.newContext())).newPage();
  await page.goto(web.origin);
  await page.waitForSelector('html[data-one][data-two]');
  expect(await page.evaluate('({ ...document.documentElement.dataset })')).toEqual({
    one: one.json.id,
    two: two.json.id,
  });
  await account.close(json.browserId);
  await browser.close();
});

test('an extension that Chromium refuses fails the create, in its words', async () => {
  const refused = await upload(packZip(extensionFiles({ name: 'Wrong', permissions: 5 })));
  expect(refused.status).toBe(200);
  const { status, json } = await account.create({ headless: true, extensions: ['Wrong'] });
  expect({ status, ...json }).toMatchObject({ status: 422, code: 'EXTENSION_FAILED' });
  expect(json.detail).toMatch(/^Wrong \([a-p]{32}\) was not loaded: .*permissions/);
  expect((await account.get('/api/browsers')).json).toEqual([]);
});

test('a client loads an extension from the session’s files', async () => {
  const { json } = await account.create({ headless: true });
  const put = async (name: string, body: string) => {
    const url = `${service.gatewayUrl}/api/browser/${json.browserId}/files/${name}`;
    const answer = await fetch(url, { method: 'PUT', headers: { 'x-api-key': account.key }, body });
    expect(answer.ok).toBe(true);
  };
  const [manifest] = extensionFiles({ content_scripts: [{ matches: ['<all_urls>'], js: ['content.js'] }] });
  await put('manifest.json', String(manifest?.content));
  await put('content.js', 'document.documentElement.dataset.own = "yes"');
  const browser = await chromium.connectOverCDP(json.cdpUrl);
  const cdp = await browser.newBrowserCDPSession();
  await expect(cdp.send('Extensions.loadUnpacked', { path: '/usr/share' })).rejects.toThrow(
    'not in this session',
  );
  const { id } = await cdp.send('Extensions.loadUnpacked', { path: '/home/user/files' });
  expect(id).toMatch(/^[a-p]{32}$/);
  const page = await (browser.contexts()[0] ?? (await browser.newContext())).newPage();
  await page.goto(web.origin);
  await page.waitForSelector('html[data-own]');
  await account.close(json.browserId);
  await browser.close();
});
