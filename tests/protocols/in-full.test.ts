// @module-tag slow

import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { OpenRequest } from '@turnpike/contract/host';
import {
  newRequest,
  type OpenedSession,
  startTestHost,
  type TestHost,
} from '@turnpike/host/testing/test-host';
// @ts-expect-error It has no types.
import { Builder, By, Capabilities, until } from 'selenium-webdriver';
// @ts-expect-error It has no types.
import remote from 'selenium-webdriver/remote/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Squid, startSquid } from '../fixtures/network/squid.ts';
import { startWorldProxy } from '../fixtures/network/world-proxy.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { connectBidi } from './bidi-connection.ts';
import { type Site, startSite } from './site.ts';
import { command, newWebdriver, webdriverUrl } from './webdriver-command.ts';
import { driverProcesses, workerProcesses } from './worker-processes.ts';

watchLeaks({ wholeFile: true });

const all = new AsyncDisposableStack();
let site: Site;
let squid: Squid;
let running: TestHost;
let scratch: string;

beforeAll(async () => {
  site = all.use(await startSite());
  squid = all.use(await startSquid());
  running = all.use(await startTestHost());
  scratch = all.use(await scratchDirectory('turnpike-protocols')).path;
});
afterAll(() => all.disposeAsync());

const bidiUrl = ({ url }: OpenedSession) => url.replace('/cdp/', '/bidi/');

async function open(
  params: Partial<OpenRequest['params']> = {},
  more: Partial<OpenRequest> = {},
): Promise<OpenedSession> {
  const request = newRequest(squid.upstream);
  return running.open({ ...request, ...more, params: { ...request.params, ...params } });
}

const endOf = ({ sessionId }: OpenedSession) => running.ended.find((end) => end.sessionId === sessionId);

test('80 MB go to a page by Selenium’s upload, and back by its download', async () => {
  const session = await open();
  const content = randomBytes(80_000_000);
  const path = join(scratch, 'large.bin');
  writeFileSync(path, content);
  const driver = await new Builder()
    .usingServer(webdriverUrl(session))
    .withCapabilities(new Capabilities({ browserName: 'chrome', 'se:downloadsEnabled': true }))
    .build();
  await driver.get(`${site.origin}/`);
  driver.setFileDetector(new remote.FileDetector());
  await driver.findElement(By.css('#letter')).sendKeys(path);
  const out = await driver.findElement(By.css('#out'));
  await driver.wait(until.elementTextContains(out, 'large.bin'));
  expect(await out.getText()).toMatch(/^large\.bin: 80000000 /);
  const files = `${session.url.replace('ws:', 'http:')}/files`;
  await fetch(`${files}/back.bin`, { method: 'PUT', body: content });
  const id: string = (await driver.getSession()).getId();
  const { value } = await command(session, 'POST', `/session/${id}/se/files`, { name: 'back.bin' });
  const archive = Buffer.from(String(value['contents']), 'base64');
  const start = archive.indexOf('back.bin') + 'back.bin'.length;
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  expect(digest(archive.subarray(start, start + content.length))).toBe(digest(content));
  await driver.quit();
  await running.host.close(session.sessionId);
});

test.for([
  ['windows', { os: 'windows', stealth: true }],
  ['macos', { os: 'macos', stealth: true }],
  ['linux', { os: 'linux' }],
] as const)('both protocols work in a session that claims %s', async ([, params]) => {
  const session = await open(params as Partial<OpenRequest['params']>);
  const { id, capabilities } = await newWebdriver(session, { webSocketUrl: true });
  await command(session, 'POST', `/session/${id}/url`, { url: `${site.origin}/` });
  const script = { script: 'return [navigator.webdriver, press.textContent]', args: [] };
  const ran = await command(session, 'POST', `/session/${id}/execute/sync`, script);
  expect(ran.value).toEqual([false, 'Press']);
  await using bidi = await connectBidi(String(capabilities['webSocketUrl']));
  const tree = await bidi.call('browsingContext.getTree');
  const evaluated = await bidi.call('script.evaluate', {
    expression: 'navigator.webdriver',
    target: { context: tree.result.contexts[0].context },
    awaitPromise: false,
  });
  expect(evaluated.result.result).toEqual({ type: 'boolean', value: false });
  await running.host.close(session.sessionId);
  expect((await bidi.closed).code).toBe(4000);
});

test.for([true, false])('the first page has the focus after a navigation; headless: %s', async (headless) => {
  const session = await open({ headless });
  const { id } = await newWebdriver(session);
  await command(session, 'POST', `/session/${id}/url`, { url: `${site.origin}/` });
  const script = { script: 'return document.hasFocus()', args: [] };
  expect((await command(session, 'POST', `/session/${id}/execute/sync`, script)).value).toBe(true);
  await running.host.close(session.sessionId);
});

test('the ninth WebDriver session ends the one that was not used for the longest time', async () => {
  const session = await open();
  const created = [];
  for (let count = 0; count < 8; count += 1) created.push(await newWebdriver(session));
  const [first, second] = created;
  await command(session, 'GET', `/session/${first?.id}/url`);
  await newWebdriver(session);
  expect((await command(session, 'GET', `/session/${first?.id}/url`)).status).toBe(200);
  expect((await command(session, 'GET', `/session/${second?.id}/url`)).value).toMatchObject({
    error: 'invalid session id',
  });
  await running.host.close(session.sessionId);
});

test('a driver that is killed or stopped hurts its own clients only', async () => {
  const session = await open();
  await using bidi = await connectBidi(bidiUrl(session));
  await bidi.call('session.new', { capabilities: {} });
  const { id } = await newWebdriver(session);
  const [driver] = driverProcesses();
  process.kill(driver ?? 0, 'SIGSTOP');
  const stuck = fetch(`${webdriverUrl(session)}/session/${id}/url`);
  expect(await bidi.call('browsingContext.getTree')).toMatchObject({ type: 'success' });
  process.kill(driver ?? 0, 'SIGKILL');
  expect(await (await stuck).json()).toMatchObject({ value: { error: 'unknown error', stacktrace: '' } });
  // Until the host notices that the worker is gone, it may try to connect to it.
  const after = async () => {
    const { value } = await command(session, 'POST', `/session/${id}/url`, { url: 'about:blank' });
    expect(value['error']).toMatch(/^(unknown error|invalid session id)$/);
    return value['error'];
  };
  await expect.poll(after).toBe('invalid session id');
  await newWebdriver(session);
  const [worker] = workerProcesses();
  process.kill(worker ?? 0, 'SIGSTOP');
  await running.host.close(session.sessionId);
  expect(endOf(session)).toMatchObject({ cause: 'closed' });
  expect((await bidi.closed).code).toBe(4000);
});

test('clients of every protocol keep a session, and none ends it', async () => {
  const session = await open({ closeOnDisconnect: 2 });
  const bidi = await connectBidi(bidiUrl(session));
  await bidi.call('session.new', { capabilities: {} });
  const connectedAt = performance.now();
  await expect.poll(() => performance.now() - connectedAt).toBeGreaterThan(4000);
  expect(endOf(session)).toBeUndefined();
  await bidi[Symbol.asyncDispose]();
  await expect.poll(() => endOf(session)).toMatchObject({ cause: 'closed', reason: 'idle' });
  const idle = await open({}, { idleMs: 3000 });
  const { id } = await newWebdriver(idle);
  const usedAt = performance.now();
  while (performance.now() - usedAt < 6000) await command(idle, 'GET', `/session/${id}/title`);
  expect(endOf(idle)).toBeUndefined();
  await expect.poll(() => endOf(idle)).toMatchObject({ cause: 'closed', reason: 'idle' });
});

test('from inside no file of the host, no loopback of it and no way around the proxy can be reached', async () => {
  const secret = join(scratch, 'secret.txt');
  writeFileSync(secret, 'the secret of the host', { mode: 0o644 });
  await using world = await startWorldProxy((_request, response) => {
    response
      .setHeader('content-type', 'text/html')
      .end('<title>By the proxy</title><input id="letter" type="file">');
  });
  let direct = 0;
  const local = createServer((_request, response) => {
    direct += 1;
    response.end('direct');
  }).listen(0, '127.0.0.1');
  await once(local, 'listening');
  await using _closed = { [Symbol.asyncDispose]: async () => void local.close() };
  const localUrl = `http://127.0.0.1:${(local.address() as AddressInfo).port}/`;
  const session = await running.open(newRequest(world.upstream));
  const { id } = await newWebdriver(session);
  const to = (url: string) => command(session, 'POST', `/session/${id}/url`, { url });
  const source = async () => String((await command(session, 'GET', `/session/${id}/source`)).value);
  for (const url of [`file://${secret}`, `view-source:file://${secret}`, `file:///proc/1/environ`]) {
    await to(url);
    expect(await source()).not.toContain('secret of the host');
    expect(await source()).not.toContain('PATH=');
  }
  await to(localUrl);
  expect((await command(session, 'GET', `/session/${id}/title`)).value).toBe('By the proxy');
  const found = await command(session, 'POST', `/session/${id}/element`, {
    using: 'css selector',
    value: '#letter',
  });
  expect(found.status).toBe(200);
  const element = Object.values(found.value)[0];
  const typed = await command(session, 'POST', `/session/${id}/element/${element}/value`, { text: secret });
  expect(typed.value['message']).toContain('The browser cannot read');

  await using bidi = await connectBidi(bidiUrl(session));
  await bidi.call('session.new', { capabilities: {} });
  const proxy = { proxyType: 'manual', httpProxy: `127.0.0.1:${(local.address() as AddressInfo).port}` };
  for (const params of [{ proxy }, { proxy: { proxyType: 'direct' } }, { 'goog:proxyServer': 'direct://' }]) {
    const created = await bidi.call('browser.createUserContext', params);
    if (created.type === 'error') continue;
    const { userContext } = created.result;
    const opened = await bidi.call('browsingContext.create', { type: 'tab', userContext });
    if (opened.type === 'error') continue;
    await bidi.call('browsingContext.navigate', { ...opened.result, url: localUrl, wait: 'complete' });
  }
  const tree = await bidi.call('browsingContext.getTree');
  const { context } = tree.result.contexts.find(
    (one: { url: string; userContext: string }) => one.url === localUrl && one.userContext === 'default',
  );
  const located = await bidi.call('browsingContext.locateNodes', {
    context,
    locator: { type: 'css', value: '#letter' },
  });
  const given = await bidi.call('input.setFiles', {
    context,
    element: located.result.nodes[0],
    files: [secret],
  });
  expect(given).toMatchObject({ type: 'error', message: expect.stringContaining('The browser cannot read') });
  expect(direct).toBe(0);
  await running.host.close(session.sessionId);
});
