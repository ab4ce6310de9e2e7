// @module-tag slow
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { type BidiConnection, connectBidi } from '../protocols/bidi-connection.ts';
import { AttackHarness, type Session } from './harness.ts';
import { distantAddress, metadataAddress, publicAddress } from './namespace.ts';

/** What clients of WebDriver and of BiDi try from inside their session. */

watchLeaks({ wholeFile: true });

let harness: AttackHarness;
let session: Session;
let other: Session;
let bidi: BidiConnection;
/** Everything that the clients were sent. */
const received: string[] = [];

const addressOf = ({ url }: Session, protocol: string) => url.replace('/cdp/', `/${protocol}/`);

beforeAll(async () => {
  harness = await AttackHarness.open();
  session = await harness.session({ headless: 'true' });
  other = await harness.session({ headless: 'true' });
  const url = addressOf(session, 'bidi');
  const connection = await harness.namespace.connection(Number(new URL(url).port));
  bidi = await connectBidi(url, { createConnection: () => connection });
  bidi.socket.on('message', (data) => received.push(String(data)));
  const ignoring = { alwaysMatch: { unhandledPromptBehavior: { default: 'ignore' } } };
  expect(await bidi.call('session.new', { capabilities: ignoring })).toMatchObject({ type: 'success' });
});
afterEach(async () => {
  await harness.expectSealed();
  const shown = Object.entries(harness.secrets).filter(([, secret]) =>
    received.some((message) => message.includes(secret)),
  );
  expect(shown.map(([what]) => what)).toEqual([]);
  received.splice(0);
});
afterAll(async () => {
  await bidi[Symbol.asyncDispose]();
  await harness[Symbol.asyncDispose]();
});

async function command(method: string, path: string, body?: object): Promise<any> {
  const text = JSON.stringify(body ?? {});
  const answer = await harness.request(`${addressOf(session, 'webdriver').replace('ws', 'http')}${path}`, {
    method,
    ...(body && {
      body: text,
      headers: { 'content-type': 'application/json', 'content-length': text.length },
    }),
  });
  received.push(answer.text);
  return JSON.parse(answer.text).value;
}

async function newDriver(capabilities: object = {}): Promise<string> {
  const { sessionId } = await command('POST', '/session', { capabilities: { alwaysMatch: capabilities } });
  return `/session/${sessionId}`;
}

const hosts = ['127.0.0.1', '[::1]', 'localhost', publicAddress, metadataAddress, distantAddress, '0.0.0.0'];

test('neither reaches the host, its networks or another session', async () => {
  harness.proxy.page('/there', 'by the proxy');
  const driver = await newDriver({ pageLoadStrategy: 'eager', timeouts: { pageLoad: 5000 } });
  await command('POST', `${driver}/url`, { url: 'http://localhost/there' });
  expect(await command('GET', `${driver}/source`)).toContain('by the proxy');
  const { result } = await bidi.call('browsingContext.getTree');
  const { context } = result.contexts[0];
  const ports = [5432, 9222, Number(new URL(session.url).port)];
  const urls = hosts.flatMap((host) => ports.map((port) => `http://${host}:${port}/`));
  for (const url of [...urls, `${other.url.replace('ws', 'http')}/json/version`]) {
    await command('POST', `${driver}/url`, { url });
    await bidi.call('browsingContext.navigate', { context, url, wait: 'interactive' });
  }
  await command('DELETE', driver);
});

test('BiDi reads no file of the host, loads none as an extension, and writes none', async () => {
  const { result } = await bidi.call('browsingContext.getTree');
  const { context } = result.contexts[0];
  await bidi.call('browsingContext.navigate', {
    context,
    url: 'data:text/html,<input type=file>',
    wait: 'complete',
  });
  const located = await bidi.call('browsingContext.locateNodes', {
    context,
    locator: { type: 'css', value: 'input' },
  });
  const element = located.result.nodes[0];
  for (const path of ['/etc/passwd', harness.canaryFile, `/proc/1/root${harness.canaryFile}`]) {
    const given = await bidi.call('input.setFiles', { context, element, files: [path] });
    expect(given.type).toBe('error');
    const installed = await bidi.call('webExtension.install', { extensionData: { type: 'path', path } });
    expect(installed.type).toBe('error');
    await bidi.call('browsingContext.navigate', { context, url: `file://${path}`, wait: 'interactive' });
    await bidi.call('script.evaluate', {
      expression: 'document.documentElement.innerText',
      target: { context },
      awaitPromise: false,
    });
  }
  const toHost = { type: 'allowed', destinationFolder: harness.canaryDirectory };
  await bidi.call('browser.setDownloadBehavior', { downloadBehavior: toHost });
  for (const method of ['Browser.setDownloadBehavior', 'Page.setDownloadBehavior']) {
    const params = { behavior: 'allow', downloadPath: harness.canaryDirectory };
    await bidi.call('goog:cdp.sendCommand', { method, params });
  }
  const saving = `const link = document.createElement('a');
    link.href = 'data:text/plain,evil'; link.download = 'evil.txt'; link.click()`;
  await bidi.call('browsingContext.navigate', { context, url: 'data:text/html,<p>', wait: 'complete' });
  await bidi.call('script.evaluate', { expression: saving, target: { context }, awaitPromise: false });
});
