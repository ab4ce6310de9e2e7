import { once } from 'node:events';
import { request } from 'node:http';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestAccount } from '../fixtures/gateway.ts';
import { watchLeaks } from '../fixtures/leaks.ts';
import { type Service, startService } from '../fixtures/service.ts';
import { startWebServer, type WebServer } from '../fixtures/web-server.ts';

watchLeaks();

const all = new AsyncDisposableStack();
let service: Service;
let account: TestAccount;
let web: WebServer;
let browser: Browser;
let page: Page;
let files: string;

beforeAll(async () => {
  web = all.use(await startWebServer());
  service = all.use(await startService());
  account = await service.account();
  const { json } = await account.create({ headless: true });
  browser = await chromium.connectOverCDP(json.cdpUrl);
  page = await (browser.contexts()[0] ?? (await browser.newContext())).newPage();
  await page.goto(web.origin);
  files = `${service.gatewayUrl}/api/browser/${json.browserId}/files`;
});
afterAll(async () => {
  await browser.close();
  await all.disposeAsync();
});

const headers = () => ({ 'x-api-key': account.key });
const list = async () =>
  (await (await fetch(files, { headers: headers() })).json()) as { files: { name: string }[] };
const names = async () => (await list()).files.map(({ name }) => name);

test('what the browser downloads is listed under its name, and can be fetched', async () => {
  await page.evaluate(`Object.assign(document.createElement('a'), {
    href: URL.createObjectURL(new Blob(['hello from the page'])),
    download: 'report ü.txt',
  }).click()`);
  await expect.poll(names, { timeout: 15_000 }).toContain('report ü.txt');
  const answer = await fetch(`${files}/${encodeURIComponent('report ü.txt')}`, { headers: headers() });
  expect(answer.headers.get('content-type')).toBe('application/octet-stream');
  expect(answer.headers.get('content-disposition')).toContain('attachment');
  expect(await answer.text()).toBe('hello from the page');
});

test('what is uploaded can be given to a page', async () => {
  const content = 'x'.repeat(300_000);
  const put = await fetch(`${files}/input.csv`, { method: 'PUT', headers: headers(), body: content });
  expect(await put.json()).toEqual({ name: 'input.csv' });
  await page.setContent('<input type=file>');
  const cdp = await page.context().newCDPSession(page);
  const { root } = await cdp.send('DOM.getDocument');
  const { nodeId } = await cdp.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'input' });
  await cdp.send('DOM.setFileInputFiles', { nodeId, files: ['/home/user/files/input.csv'] });
  const read = await page.evaluate(
    `document.querySelector('input').files[0].text().then(({ length }) => length)`,
  );
  expect(read).toBe(content.length);
  const removed = await fetch(`${files}/input.csv`, { method: 'DELETE', headers: headers() });
  expect(removed.status).toBe(200);
  expect(await names()).not.toContain('input.csv');
});

test('a file that does not fit is refused, and leaves nothing', async () => {
  const { headers: answered } = await fetch(files, { headers: headers(), redirect: 'manual' });
  const large = request(`${answered.get('location')}/large`, { method: 'PUT' });
  const answer = once(large, 'response');
  large.on('error', () => {}); // It answers before it has all, and takes no more.
  const content = Buffer.alloc(2 ** 20);
  const pump = () => {
    while (!large.destroyed && !large.closed && large.write(content));
  };
  large.on('drain', pump);
  pump();
  const [{ statusCode }] = await answer;
  large.destroy();
  expect(statusCode).toBe(413);
  expect(await names()).not.toContain('large');
});

test.each(['..', '.', '%2e%2e%2fprofile', 'a%2fb', `${'n'.repeat(201)}`, '.upload-x'])(
  'the name %s is refused',
  async (name) => {
    const answer = await fetch(`${files}/${name}`, { method: 'PUT', headers: headers(), body: 'x' });
    expect([400, 404]).toContain(answer.status);
  },
);

test('what is not there is not found', async () => {
  const answer = await fetch(`${files}/nothing`, { headers: headers() });
  expect([answer.status, await answer.json()]).toEqual([404, { error: 'File not found' }]);
});

test("another account's files are not found, and an ended session has none", async () => {
  const other = await service.account();
  expect((await fetch(files, { headers: { 'x-api-key': other.key } })).status).toBe(404);
  const { json } = await account.create({ headless: true });
  await account.close(json.browserId);
  const gone = await account.get(`/api/browser/${json.browserId}/files`);
  expect(gone).toMatchObject({ status: 410, json: { error: 'Session is CLOSED' } });
});
