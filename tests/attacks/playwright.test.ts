// @module-tag slow
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { AttackHarness, type Session } from './harness.ts';
import { distantAddress, metadataAddress, publicAddress } from './namespace.ts';
import { RawPlaywright } from './raw-playwright.ts';

watchLeaks({ wholeFile: true });

let harness: AttackHarness;
let session: Session;
let other: Session;
let client: RawPlaywright;

beforeAll(async () => {
  harness = await AttackHarness.open();
  session = await harness.session({ headless: 'true' });
  other = await harness.session({ headless: 'true' });
  client = await RawPlaywright.connect(session.url.replace('/cdp/', '/playwright/'), harness.namespace);
});
afterEach(async () => {
  await harness.expectSealed();
  const shown = Object.entries(harness.secrets).filter(([, secret]) =>
    client.received.some((message) => message.includes(secret)),
  );
  expect(shown.map(([what]) => what)).toEqual([]);
});
afterAll(async () => {
  await client.close();
  await harness[Symbol.asyncDispose]();
});

test("a page gets no file of the host's, and none of another session's", async () => {
  await harness.request(`${other.url.replace('ws', 'http')}/files/secret.txt`, {
    method: 'PUT',
    headers: { 'content-length': harness.canaryText.length },
    body: harness.canaryText,
  });
  const frame = await client.page('<input type=file>');
  const fileText = `(async () => (await document.querySelector('input').files[0]?.text().catch(String)) ?? '')()`;
  const paths = [
    '/etc/passwd',
    '/home/user/tmp/../../../etc/passwd',
    '/home/user/files/secret.txt',
    harness.canaryFile,
    `/home/user/tmp/../../..${harness.canaryFile}`,
    `/proc/1/root${harness.canaryFile}`,
    `/proc/self/cwd/../..${harness.canaryFile}`,
  ];
  for (const path of paths) {
    await client.send(frame, 'setInputFiles', { selector: 'input', localPaths: [path], timeout: 500 });
    expect(await client.evaluate(frame, fileText)).not.toContain(harness.canaryText);
  }
  // What is in the session can be read: else the above would prove nothing.
  await harness.request(`${session.url.replace('ws', 'http')}/files/own.txt`, {
    method: 'PUT',
    headers: { 'content-length': 3 },
    body: 'own',
  });
  await client.call(frame, 'setInputFiles', { selector: 'input', localPaths: ['/home/user/files/own.txt'] });
  expect(await client.evaluate(frame, fileText)).toBe('own');
});

test("requests of the worker's reach nothing but the customer's proxy", async () => {
  harness.proxy.page('/there', 'by the proxy');
  const context = client.find('BrowserContext');
  const own: string = context.initializer.requestContext.guid;
  const there = await client.call(own, 'fetch', { url: 'http://localhost/there', method: 'GET' });
  expect(there.response.status).toBe(200);
  // Not at 127.0.0.1, where this service takes any proxy.
  const proxies = [metadataAddress, publicAddress].flatMap((host) => [
    `http://${host}:3128`,
    `socks5://${host}:1080`,
  ]);
  const contexts = await Promise.all(
    proxies.map(async (server) => {
      const { result } = await client.send(client.find('Browser').guid, 'newContext', {
        proxy: { server, bypass: '*' },
      });
      const created = client.objects.find(({ guid }) => guid === result?.['context'].guid);
      return created ? [created.initializer.requestContext.guid as string] : []; // None: refused.
    }),
  );
  const hosts = [
    '127.0.0.1',
    '[::1]',
    'localhost',
    publicAddress,
    metadataAddress,
    distantAddress,
    '0.0.0.0',
  ];
  const urls = hosts.flatMap((host) => [
    `http://${host}:5432/`,
    `https://${host}:9222/`,
    `http://${host}:3128/`,
  ]);
  for (const requests of [own, ...contexts.flat()])
    await Promise.all(urls.map((url) => client.send(requests, 'fetch', { url, method: 'GET' })));
});

test('nothing more can be launched or connected to', async () => {
  const denied = /not allowed|Unknown|Cannot|is not|No |does not|closed|Validation|already/i;
  const types = client.objects.filter(({ type }) => type === 'BrowserType');
  expect(types).toHaveLength(3);
  const options = { args: [], executablePath: '/usr/bin/chromium', headless: true, env: [] };
  for (const { guid } of types) {
    for (const [method, params] of Object.entries({
      launch: options,
      launchPersistentContext: { ...options, userDataDir: '' },
      connectOverCDP: { endpointURL: 'http://127.0.0.1:9222' },
      connectToWorker: { endpoint: 'http://127.0.0.1:9222' },
    })) {
      const { error } = await client.send(guid, method, params);
      expect(error).toMatch(denied);
    }
  }
  const electron = await client.send(client.find('Electron').guid, 'launch', { executablePath: '/bin/sh' });
  expect(electron.error).toMatch(denied);
  const android = await client.send(client.find('Android').guid, 'devices', {
    host: '127.0.0.1',
    port: 5432,
  });
  expect(android.error).toMatch(denied);
  const { error } = await client.send(client.find('Playwright').guid, 'newRequest', {
    ignoreHTTPSErrors: true,
  });
  expect(error).toMatch('not allowed');
  // It writes and reads files for clients on the same machine.
  expect(client.objects.filter(({ type }) => type === 'LocalUtils')).toEqual([]);
});

test('files that a client has written stay in the session', async () => {
  const context = client.find('BrowserContext').guid;
  const names = ['../../../../../tmp/evil', `../../../../..${harness.canaryFile}`, '/etc/evil', 'a/../../b'];
  for (const name of names) await client.send(context, 'createTempFiles', { items: [{ name }] });
  const path = `${harness.canaryDirectory}/written`;
  const options = { recordVideo: { dir: harness.canaryDirectory }, recordHar: { harPath: path } };
  await client.send(client.find('Browser').guid, 'newContext', options);
  await client.send(context, 'harStart', {
    options: { harPath: path, resourcesDir: harness.canaryDirectory },
  });
});
