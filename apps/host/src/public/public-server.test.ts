import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type http from 'node:http';
import { connect } from 'node:net';
import type { UpstreamProxy } from '@turnpike/contract/host';
import { chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { makeCertificates } from '../../../../tests/fixtures/network/certificates.ts';
import { openDescriptors } from '../../../../tests/fixtures/process/open-descriptors.ts';
import { scratchDirectory } from '../../../../tests/fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { Raw } from '../testing/raw-client.ts';
import {
  newRequest,
  type OpenedSession,
  startPageProxy,
  startTestHost,
  type TestHost,
} from '../testing/test-host.ts';

watchLeaks();

/** For one message of 80 MiB, and less than 200 of one. */
const sessionBufferBytes = 96 * 2 ** 20;

const all = new AsyncDisposableStack();
let proxy: UpstreamProxy;
let running: TestHost;
let session: OpenedSession;

beforeAll(async () => {
  ({ proxy } = all.use(await startPageProxy()));
  running = all.use(await startTestHost({ allowedOrigins: ['https://tools.example'], sessionBufferBytes }));
});
afterAll(() => all.disposeAsync());

beforeEach(async () => {
  session = await running.open(newRequest(proxy));
});
afterEach(async () => {
  await running.host.close(session.sessionId);
});

/** Status and body of a refused upgrade. */
async function refusal(url: string, origin?: string): Promise<{ status: number | undefined; body: string }> {
  const socket = new WebSocket(url, origin === undefined ? {} : { origin });
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, http.IncomingMessage];
  let body = '';
  for await (const chunk of response) body += chunk;
  return { status: response.statusCode, body };
}

const httpUrl = () => session.url.replace('ws:', 'http:');

describe('discovery', () => {
  it('answers as Chromium does, with public URLs', async () => {
    for (const end of ['', '/']) {
      const version = await (await fetch(`${httpUrl()}/json/version${end}`)).json();
      expect(version).toEqual({
        Browser: expect.stringMatching(/^Chrome\/\d/),
        'Protocol-Version': '1.3',
        'User-Agent': expect.stringContaining('Mozilla/5.0'),
        'V8-Version': expect.stringMatching(/^\d/),
        'WebKit-Version': expect.stringMatching(/^537\.36 \(@/),
        webSocketDebuggerUrl: session.url,
      });
    }
    for (const path of ['/json', '/json/', '/json/list', '/json/list/']) {
      const pages = (await (await fetch(httpUrl() + path)).json()) as { id: string }[];
      const id = pages[0]?.id;
      expect(pages).toMatchObject([
        { type: 'page', url: 'about:blank', webSocketDebuggerUrl: `${session.url}/page/${id}` },
      ]);
    }
  });

  it('lets Playwright connect by the http form', { tags: 'slow' }, async () => {
    const browser = await chromium.connectOverCDP(httpUrl());
    expect(browser.contexts()[0]?.pages()).toHaveLength(1);
    await browser.close();
  });
});

describe('who is let in', () => {
  it('unknown, malformed and ended ids get the same 404', { tags: 'slow' }, async () => {
    const ended = await running.open(newRequest(proxy));
    await running.host.close(ended.sessionId);
    const base = running.host.publicUrl;
    const urls = [
      ...[ended.url, `${base}/cdp/br_${'0'.repeat(40)}`, `${base}/cdp/`, `${base}/cdp/%00`, `${base}/`],
      `${session.url}/page/NOSUCH`,
    ];
    for (const url of urls) expect(await refusal(url)).toEqual({ status: 404, body: 'Not Found\n' });
    for (const url of urls) {
      const response = await fetch(`${url.replace('ws:', 'http:')}/json/version`);
      expect([response.status, await response.text()]).toEqual([404, 'Not Found\n']);
    }
  });

  it('a method that a path does not have gets 405 with the others, and HEAD works where GET does', async () => {
    const asked = async (path: string, method: string) => {
      const { status, headers } = await fetch(httpUrl() + path, { method });
      return [status, headers.get('allow'), headers.get('x-error-code')];
    };
    const refused = (allow: string) => [405, allow, 'METHOD_NOT_ALLOWED'];
    expect(await asked('/json/version', 'POST')).toEqual(refused('GET, HEAD'));
    expect(await asked('/json/new', 'GET')).toEqual(refused('PUT'));
    expect(await asked('/json/close/none', 'HEAD')).toEqual(refused('GET'));
    expect(await asked('/json/close/none', 'GET')).toEqual([404, null, 'TARGET_NOT_FOUND']);
    expect(await asked('/files', 'PUT')).toEqual(refused('GET, HEAD'));
    expect(await asked('/files/a', 'POST')).toEqual(refused('DELETE, GET, HEAD, PUT'));
    expect(await asked('/files/a', 'HEAD')).toEqual([404, null, 'FILE_NOT_FOUND']);
    for (const path of ['/json/version', '/json/list', '/json/protocol', '/files']) {
      expect(await asked(path, 'HEAD')).toEqual([200, null, null]);
    }
    expect(await asked('/nothing', 'POST')).toEqual([404, null, 'NOT_FOUND']);
  });

  it('an upgrade to another protocol than WebSocket is ignored, also for the requests after it', async () => {
    const { hostname, port } = new URL(running.host.publicUrl);
    const path = new URL(`${httpUrl()}/json/version`).pathname;
    const head = `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n`;
    const client = connect({ port: Number(port), host: hostname });
    client.on('error', () => {});
    for (let i = 0; i < 2; i++) {
      client.write(head);
      expect(String(await once(client, 'data'))).toMatch(/^HTTP\/1\.1 200 OK/);
    }
    client.destroy();
  });

  it('a refused upgrade leaves no socket behind, whatever the client sends after it', async () => {
    const { hostname, port } = new URL(running.host.publicUrl);
    const head = 'GET /cdp/none HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const sockets = () =>
      [...openDescriptors().values()].filter((target) => target.startsWith('socket:')).length;
    const before = sockets();
    for (let i = 0; i < 5; i++) {
      const client = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
      client.on('error', () => {});
      client.write(head);
      await once(client, 'data');
      client.end('more of it');
      await once(client.resume(), 'close');
    }
    await expect.poll(sockets).toBeLessThanOrEqual(before);
  });

  it('a page of a foreign origin is refused, one that the operator allows is not', async () => {
    expect((await refusal(session.url, 'https://evil.example')).status).toBe(403);
    await using allowed = new Raw(session.url, { origin: 'https://tools.example' });
    await once(allowed.socket, 'open');
  });
});

describe('clients side by side', () => {
  it('one cannot use the sessions of another', async () => {
    await using one = await Raw.connect(session.url);
    await using other = await Raw.connect(session.url);
    const sessionId = await one.attachToPage();
    const expression = { expression: '6 * 7' };
    expect(await one.call('Runtime.evaluate', expression, sessionId)).toMatchObject({
      result: { result: { value: 42 } },
      sessionId,
    });
    expect(await other.call('Runtime.evaluate', expression, sessionId)).toMatchObject({
      error: { code: -32001 },
    });
    await one.call('Target.detachFromTarget', { sessionId });
    expect(await one.call('Runtime.evaluate', expression, sessionId)).toMatchObject({
      error: { code: -32001 },
    });
  });

  it('rubbish from one is answered and hurts nobody', async () => {
    await using one = await Raw.connect(session.url);
    await using other = await Raw.connect(session.url);
    for (const rubbish of ['', '{', 'null', '[]', '{"id":1']) {
      const answered = one.next((message) => message.error !== undefined);
      one.socket.send(rubbish);
      expect(await answered).toMatchObject({ error: { code: -32700 } });
    }
    const duplicate = '{"id":5,"method":"Browser.getVersion","id":6}';
    one.socket.send(duplicate);
    one.socket.send(Buffer.from([1, 2, 3]));
    const [code] = await once(one.socket, 'close');
    expect(code).toBe(1003);
    expect(await other.call('Browser.getVersion')).toHaveProperty('result.product');
  });

  it('one that leaves takes its own contexts along and nothing else', async () => {
    await using one = await Raw.connect(session.url);
    await using other = await Raw.connect(session.url);
    await other.call('Target.setDiscoverTargets', { discover: true });
    const created = await one.call('Target.createBrowserContext', { disposeOnDetach: true });
    const { browserContextId } = created.result as { browserContextId: string };
    await one.call('Target.createTarget', { url: 'about:blank', browserContextId });
    const destroyed = other.next((message) => message.method === 'Target.targetDestroyed');
    one.socket.close();
    await destroyed;
    const { result } = await other.call('Target.getTargets', { filter: [{ type: 'page' }] });
    expect(result?.['targetInfos']).toHaveLength(1);
  });

  it('one that does not read is cut with the reason, while another goes on', { tags: 'slow' }, async () => {
    await using slow = await Raw.connect(session.url);
    await using other = await Raw.connect(session.url);
    const megabyte = { expression: `'x'.repeat(${2 ** 20})`, returnByValue: true };
    const sessionId = await slow.attachToPage();
    const created = await slow.call('Target.createBrowserContext', { disposeOnDetach: true });
    await slow.call('Target.createTarget', { url: 'about:blank', ...created.result });
    slow.socket.pause();
    for (let id = 1000; id < 1200; id++) {
      slow.socket.send(JSON.stringify({ id, method: 'Runtime.evaluate', params: megabyte, sessionId }));
    }
    for (let i = 0; i < 20; i++) expect(await other.call('Browser.getVersion')).toHaveProperty('result');
    const pages = async () => (await other.call('Target.getTargets')).result?.['targetInfos'];
    await expect.poll(pages).toHaveLength(1);
    const closed = once(slow.socket, 'close');
    slow.socket.resume();
    const [code, reason] = await closed;
    expect([code, String(reason)]).toEqual([1009, expect.stringContaining('reads too slowly')]);
  });

  it('a large message passes, both ways', { tags: 'slow' }, async () => {
    const page = (await (await fetch(`${httpUrl()}/json`)).json()) as { webSocketDebuggerUrl: string }[];
    await using raw = await Raw.connect(page[0]?.webSocketDebuggerUrl ?? '');
    const size = 16 * 2 ** 20;
    const answer = await raw.call('Runtime.evaluate', { expression: `'${'y'.repeat(size)}'` });
    const { result } = answer.result as { result: { value: string } };
    expect(result.value.length).toBe(size);
  });
});

it('a message in fragments is one message, and a ping between them is answered', async () => {
  await using client = await Raw.connect(session.url);
  const ponged = once(client.socket, 'pong');
  const answered = client.next(({ id }) => id === 7);
  client.socket.send('{"id":7,"meth', { fin: false });
  client.socket.ping('still there?');
  client.socket.send('od":"Browser.getVersion"}', { fin: true });
  expect(String((await ponged)[0])).toBe('still there?');
  expect((await answered).result).toHaveProperty('product');
});

it('the connection to one page speaks for it, and ends with it', async () => {
  const pages = (await (await fetch(`${httpUrl()}/json`)).json()) as { webSocketDebuggerUrl: string }[];
  await using page = await Raw.connect(pages[0]?.webSocketDebuggerUrl ?? '');
  await using browser = await Raw.connect(session.url);
  await browser.call('Target.createTarget', { url: 'about:blank' });
  const answer = await page.call('Runtime.evaluate', { expression: 'location.href' });
  expect(answer).toEqual({ id: 1, result: { result: { type: 'string', value: 'about:blank' } } });
  const closed = once(page.socket, 'close');
  void page.call('Page.close').catch(() => {});
  await closed;
});

it('speaks TLS when given a certificate', { tags: 'slow' }, async () => {
  await using directory = await scratchDirectory('turnpike-host-tls');
  const files = await makeCertificates(directory.path);
  const [cert, key, ca] = await Promise.all(
    [files.certFile, files.keyFile, files.caFile].map((file) => readFile(file)),
  );
  if (!cert || !key) throw new Error('no certificate');
  await using secure = await startTestHost({ tls: { cert, key } });
  const opened = await secure.open(newRequest(proxy));
  expect(opened.url).toMatch(/^wss:/);
  const socket = new WebSocket(opened.url, { ca });
  await once(socket, 'open');
  const closed = once(socket, 'close');
  await secure.host.close(opened.sessionId);
  expect((await closed)[0]).toBe(4000);
});
