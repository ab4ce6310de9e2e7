// @module-tag slow

import type { Socket } from 'node:net';
import { readHostConfig } from '@turnpike/host/config';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { freePort } from '../fixtures/network/free-port.ts';
import { rawServer } from '../fixtures/network/raw-sockets.ts';
import { type Socks, startSocks } from '../fixtures/network/socks.ts';
import { type Service, startService } from '../fixtures/service/service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { testEach } from '../fixtures/suite/matrix.ts';

watchLeaks({ wholeFile: true });

let undo: AsyncDisposableStack;
let service: Service;
let account: TestAccount;
let socks: Socks;

beforeAll(async () => {
  undo = new AsyncDisposableStack();
  socks = undo.use(await startSocks());
  service = undo.use(await startService({ env: { TURNPIKE_HOST_PROXY_TIMEOUT_MS: '5000' } }));
  account = await service.account();
});
afterAll(() => undo.disposeAsync());

/** A Chromium of our own, with or without a proxy; what a session must be like. */
async function direct(proxy?: string): Promise<Browser> {
  const { chromium: executablePath } = readHostConfig({});
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-crash-reporter'],
    ...(proxy ? { proxy: { server: proxy, bypass: '<-loopback>' } } : {}),
  });
}

/** What becomes of a navigation, and of its request, which may fail after the page has begun. */
async function outcome(
  page: Page,
  url: string,
): Promise<{ navigation: string; request: string | undefined }> {
  const request = Promise.withResolvers<string | undefined>();
  page.on('requestfailed', (failed) => {
    if (failed.url() === url) request.resolve(failed.failure()?.errorText);
  });
  page.on('requestfinished', (finished) => {
    if (finished.url() === url) request.resolve(undefined);
  });
  const navigation = await page.goto(url, { waitUntil: 'commit' }).then(
    (response) => `${response?.status()}`,
    (error: Error) => /net::ERR_\w+/.exec(error.message)?.[0] ?? error.message,
  );
  return { navigation, request: await request.promise };
}

async function inBoth(
  url: string,
  { browser, sessionProxy }: { browser: Browser; sessionProxy: string },
): Promise<[unknown, unknown]> {
  await using both = new AsyncDisposableStack();
  both.defer(() => browser.close());
  const opened = await account.connect({ proxy: sessionProxy, headless: 'true' });
  expect(opened.status).toBe(200);
  both.defer(async () => void (await account.close(opened.headers.get('x-session-id') ?? '')));
  const session = await chromium.connectOverCDP(opened.text);
  both.defer(() => session.close());
  const page = await session.contexts()[0]?.newPage();
  if (!page) throw new Error('the session has no context');
  return [await outcome(page, url), await outcome(await browser.newPage(), url)];
}

const half = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';
const faults: [string, (socket: Socket) => void, string][] = [
  ['closes without an answer', (socket) => socket.end(), 'net::ERR_EMPTY_RESPONSE'],
  ['resets', (socket) => socket.resetAndDestroy(), 'net::ERR_CONNECTION_RESET'],
  [
    'ends an answer before its length',
    (socket) => socket.end(`${half}Content-Length: 1000\r\n\r\n<title>half</title>`),
    'net::ERR_CONTENT_LENGTH_MISMATCH',
  ],
  [
    'ends an answer between chunks',
    (socket) => socket.end(`${half}Transfer-Encoding: chunked\r\n\r\n5\r\n<p>hi\r\n`),
    'net::ERR_INCOMPLETE_CHUNKED_ENCODING',
  ],
];

describe('a page by plain HTTP has the network error that it has in a direct Chromium', () => {
  testEach({ quick: faults.slice(1, 2), slow: [...faults.slice(0, 1), ...faults.slice(2)] })(
    'when the site %s',
    async (_name, answer) => {
      await using site = await rawServer((socket) => socket.once('data', () => answer(socket)));
      const sessionProxy = `socks5://${socks.url}`;
      const url = `http://127.0.0.1:${site.port}/`;
      const [session, alone] = await inBoth(url, { browser: await direct(sessionProxy), sessionProxy });
      expect(session).toEqual(alone);
      expect(session).toMatchObject({ request: expect.stringMatching(/^net::ERR_/) });
    },
  );

  testEach({ quick: faults.slice(0, 1), slow: faults.slice(1) })(
    'when the proxy %s',
    async (_name, answer, error) => {
      await using proxy = await rawServer((socket) =>
        socket.once('data', (head) => {
          // The check of the proxy, before the session.
          if (head.toString().startsWith('CONNECT'))
            socket.end('HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n');
          else answer(socket);
        }),
      );
      const url = `http://127.0.0.1:${proxy.port}`;
      const [session, alone] = await inBoth('http://site.test/', {
        browser: await direct(url),
        sessionProxy: url,
      });
      expect(session).toEqual(alone);
      expect(Object.values(session as object)).toContain(error);
    },
  );

  test('or the nearest that HTTP can carry: a site that refuses is a reset', async () => {
    const [session, alone] = await inBoth(`http://127.0.0.1:${await freePort()}/`, {
      browser: await direct(),
      sessionProxy: `socks5://${socks.url}`,
    });
    expect(session).toMatchObject({ navigation: 'net::ERR_CONNECTION_RESET' });
    expect(alone).toMatchObject({ navigation: 'net::ERR_CONNECTION_REFUSED' });
  });
});
