import { once } from 'node:events';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { type Browser, chromium, type Page } from 'playwright-core';
import { SessionNotFoundError, Turnpike } from 'turnpike-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { turnpike as turnpikeCommand } from '../clients/cli-driver.ts';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { type SharedService, sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

const all = new AsyncDisposableStack();
let service: SharedService;
let account: TestAccount;
let web: WebServer;
let browser: Browser;
let page: Page;
let files: string;
let cdpUrl: string;

beforeAll(async () => {
  web = all.use(await startWebServer());
  service = all.use(await sharedService());
  account = await service.account();
  const { json } = await account.create({ headless: true });
  cdpUrl = json.cdpUrl;
  browser = await chromium.connectOverCDP(cdpUrl);
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
  await expect.poll(names).toContain('report ü.txt');
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

test("a path of the client's own machine is answered at once, by what to do instead", async () => {
  await page.setContent('<input type=file>');
  const cdp = await page.context().newCDPSession(page);
  const { root } = await cdp.send('DOM.getDocument');
  const { nodeId } = await cdp.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'input' });
  const advice = 'Upload the file with the files API and pass /home/user/files/<name>.';
  const local = { nodeId, files: ['/home/ada/letter.txt'] };
  await expect(cdp.send('DOM.setFileInputFiles', local)).rejects.toThrow(advice);
  // The connection goes on, and the page has no file that it could not read.
  expect(await page.evaluate(`document.querySelector('input').files.length`)).toBe(0);

  // On a page's own connection no message names a session.
  const { targetInfo } = await cdp.send('Target.getTargetInfo');
  const socket = new WebSocket(`${cdpUrl}/page/${targetInfo.targetId}`);
  await once(socket, 'open');
  const answer = once(socket, 'message');
  socket.send(JSON.stringify({ id: 1, method: 'DOM.setFileInputFiles', params: local }));
  const [{ data }] = await answer;
  expect(JSON.parse(data)).toEqual({
    id: 1,
    error: { code: -32602, message: expect.stringContaining(advice) },
  });
  const closed = once(socket, 'close');
  socket.close();
  await closed;
});

test('Playwright gives a page the content of a small local file, and refuses a large one itself', async () => {
  await using scratch = await scratchDirectory('letters');
  const [small, large] = [`${scratch.path}/letter.txt`, `${scratch.path}/large.txt`];
  await writeFile(small, 'dear all');
  await writeFile(large, '');
  await truncate(large, 51 * 2 ** 20);
  await page.setContent('<input type=file>');
  await page.setInputFiles('input', small);
  expect(await page.evaluate(`document.querySelector('input').files[0].text()`)).toBe('dear all');
  await expect(page.setInputFiles('input', large)).rejects.toThrow('larger than 50Mb');
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

test('by the Node client and the command line they go both ways', async () => {
  const turnpike = new Turnpike({ endpoint: service.gatewayUrl, apiKey: account.key });
  const session = files.split('/').at(-2) ?? '';
  const { files: own } = turnpike;
  await own.upload(session, 'a b#ü.txt', 'by the client');
  expect(await own.list(session)).toContainEqual({
    name: 'a b#ü.txt',
    bytes: 13,
    modifiedAt: expect.stringMatching(/Z$/),
  });
  expect(await new Response(await own.download(session, 'a b#ü.txt')).text()).toBe('by the client');
  await own.upload(session, 'empty', new Uint8Array());
  expect(await new Response(await own.download(session, 'empty')).text()).toBe('');
  await own.delete(session, 'a b#ü.txt');
  await expect(own.download(session, 'a b#ü.txt')).rejects.toMatchObject({
    name: 'TurnpikeError',
    statusCode: 404,
    message: 'File not found',
  });
  await expect(own.list('br_000000000000000000000000')).rejects.toThrow(SessionNotFoundError);

  await using scratch = await scratchDirectory('files');
  const local = `${scratch.path}/local.txt`;
  await writeFile(local, 'by the command line');
  const env = { TURNPIKE_URL: service.gatewayUrl, TURNPIKE_API_KEY: account.key };
  const run = (...args: string[]) => turnpikeCommand(env, ['files', ...args]);
  expect(await run('put', session, local, 'put.txt')).toMatchObject({
    code: 0,
    stdout: '/home/user/files/put.txt\n',
  });
  expect((await run('ls', session)).stdout).toMatch(/^put\.txt +19 B /m);
  expect((await run('get', session, 'put.txt', '-')).stdout).toBe('by the command line');
  expect(await run('get', session, 'put.txt', `${scratch.path}/got`)).toMatchObject({ code: 0 });
  expect(await readFile(`${scratch.path}/got`, 'utf8')).toBe('by the command line');
  expect(await run('rm', session, 'put.txt')).toMatchObject({ code: 0 });
  expect(await run('rm', session, 'put.txt')).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('File not found'),
  });
  expect(await run('put', session, `${scratch.path}/none`)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^turnpike: ENOENT.*\n$/),
  });
});

test.each(['..', '.', '%2e%2e%2fprofile', 'a%2fb', `${'n'.repeat(201)}`, '.upload-x'])(
  'the name %s is refused',
  async (name) => {
    const answer = await fetch(`${files}/${name}`, { method: 'PUT', headers: headers(), body: 'x' });
    expect([400, 404, 405]).toContain(answer.status);
  },
);

test('what is not there is not found', async () => {
  const answer = await fetch(`${files}/nothing`, { headers: headers() });
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { code: 'FILE_NOT_FOUND', error: 'File not found' },
  ]);
});

test("another account's files are not found, and an ended session has none", async () => {
  const other = await service.account();
  expect((await fetch(files, { headers: { 'x-api-key': other.key } })).status).toBe(404);
  const { json } = await account.create({ headless: true });
  await account.close(json.browserId);
  const gone = await account.get(`/api/browser/${json.browserId}/files`);
  expect(gone).toMatchObject({ status: 410, json: { error: 'Session is CLOSED' } });
});
