import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { startBadProxies } from '../fixtures/network/bad-proxies.ts';
import { type Socks, startSocks } from '../fixtures/network/socks.ts';
import { type Squid, startSquid } from '../fixtures/network/squid.ts';
import { startTlsProxy, type TlsProxy } from '../fixtures/network/tls-proxy.ts';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { type Service, startService } from '../fixtures/service/service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { testEach } from '../fixtures/suite/matrix.ts';

watchLeaks();

const credentials = { username: 'cus-tomer', password: 'p@ss:w/rd %' };
const userinfo = `${encodeURIComponent(credentials.username)}:${encodeURIComponent(credentials.password)}@`;

let undo: AsyncDisposableStack;
let web: WebServer;
let squid: { open: Squid; password: Squid };
let tls: { open: TlsProxy; password: TlsProxy; untrusted: TlsProxy };
let socks: { open: Socks; password: Socks };
let service: Service;
let account: TestAccount;

beforeAll(async () => {
  undo = new AsyncDisposableStack();
  web = undo.use(await startWebServer());
  squid = { open: undo.use(await startSquid()), password: undo.use(await startSquid(credentials)) };
  tls = {
    open: undo.use(await startTlsProxy()),
    password: undo.use(await startTlsProxy(credentials)),
    untrusted: undo.use(await startTlsProxy()),
  };
  const trusted = join(undo.use(await scratchDirectory('ca')).path, 'ca.pem');
  await writeFile(
    trusted,
    (await Promise.all([tls.open, tls.password].map(({ caFile }) => readFile(caFile)))).join('\n'),
  );
  socks = { open: undo.use(await startSocks()), password: undo.use(await startSocks(credentials)) };
  const env = { NODE_EXTRA_CA_CERTS: trusted, TURNPIKE_HOST_PROXY_TIMEOUT_MS: '2000' };
  service = undo.use(await startService({ env }));
  account = await service.account({ creates_per_minute: 1000 });
});

afterAll(() => undo.disposeAsync());

/** Loads a page by plain HTTP and talks over a WebSocket, which browsers tunnel; answers the session's id. */
async function browse(proxy: string, host = '127.0.0.1'): Promise<string> {
  const opened = await account.connect({ proxy, headless: 'true' });
  expect([opened.status, opened.text]).toEqual([200, expect.stringMatching(/^ws:/)]);
  const browser = await chromium.connectOverCDP(opened.text);
  try {
    const page = await browser.contexts()[0]?.newPage();
    await page?.goto(`http://${host}:${web.port}/`);
    expect(await page?.title()).toBe('Turnpike test page');
    const echoed = await page?.evaluate(
      (url) =>
        new Promise((resolve, reject) => {
          const socket = new WebSocket(url);
          socket.onopen = () => socket.send('through the tunnel');
          socket.onmessage = (event) => resolve(event.data);
          socket.onerror = () => reject(new Error('no tunnel'));
        }),
      `ws://${host}:${web.port}/`,
    );
    expect(echoed).toBe('through the tunnel');
  } finally {
    await browser.close();
  }
  return opened.headers.get('x-session-id') ?? '';
}

type Kind = 'open' | 'password';

describe('a page loads through the proxy of', () => {
  testEach<Kind>({ quick: ['password'], slow: ['open'] })('http, %s', async (kind) => {
    const id = await browse(`http://${kind === 'open' ? '' : userinfo}${squid[kind].url}`);
    await account.close(id);
    const log = await squid[kind].accessLog();
    const user = kind === 'open' ? '' : credentials.username;
    expect(log).toContainEqual(expect.objectContaining({ method: 'GET', target: `${web.origin}/`, user }));
    await expect
      .poll(() => squid[kind].accessLog())
      .toContainEqual(expect.objectContaining({ method: 'CONNECT', target: `127.0.0.1:${web.port}`, user }));
    const record = (await account.get('/user/api/sessions')).json.sessions[0];
    expect(record.bytesUp).toBeGreaterThan(0);
    expect(record.bytesDown).toBeGreaterThan(0);
  });

  testEach<Kind>({ quick: ['open'], slow: ['password'] })('https, %s', async (kind) => {
    await account.close(await browse(`https://${kind === 'open' ? '' : userinfo}${tls[kind].url}`));
    const user = kind === 'open' ? '' : credentials.username;
    expect(await tls[kind].accessLog()).toContainEqual(
      expect.objectContaining({ method: 'GET', target: `${web.origin}/`, user }),
    );
  });

  test('https, whose certificate is not trusted: 422', async () => {
    const refused = await account.connect({
      proxy: `https://${tls.untrusted.url}`,
      headless: 'true',
    });
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([422, 'PROXY_UNREACHABLE']);
    expect(refused.text).toContain('TLS handshake');
  });

  testEach<['socks5' | 'socks5h', Kind]>({
    quick: [
      ['socks5', 'open'],
      ['socks5h', 'password'],
    ],
    slow: [
      ['socks5', 'password'],
      ['socks5h', 'open'],
    ],
  })('%s, %s: names are resolved by the proxy', async (scheme, kind) => {
    const before = socks[kind].requests().length;
    const login = kind === 'open' ? '' : userinfo;
    await account.close(await browse(`${scheme}://${login}${socks[kind].url}`, 'localhost'));
    const seen = socks[kind].requests().slice(before);
    expect(seen).toContainEqual({ host: 'localhost', port: web.port, by: 'name' });
    expect(seen.filter(({ by }) => by === 'address')).toEqual([]);
  });
});

describe('422 PROXY_UNREACHABLE, in bounded time, on both create paths:', () => {
  const expectUnreachable = async (proxy: string, detail: RegExp) => {
    const before = (await account.get('/user/api/limits')).json;
    const [connect, create] = await Promise.all([
      account.connect({ proxy, headless: 'true' }),
      account.create({ proxy, headless: true }),
    ]);
    expect([connect.status, connect.headers.get('x-error-code')]).toEqual([422, 'PROXY_UNREACHABLE']);
    expect([create.status, create.json.code]).toEqual([422, 'PROXY_UNREACHABLE']);
    expect(create.json.detail).toMatch(detail);
    expect(connect.text + create.text).not.toContain('p@ss');
    expect((await account.get('/user/api/limits')).json).toEqual(before);
  };

  test.each(['http', 'socks5', 'socks5h'] as const)(
    '%s with a wrong password, and with none',
    async (scheme) => {
      const { url } = { http: squid, https: tls, socks5: socks, socks5h: socks }[scheme].password;
      await expectUnreachable(`${scheme}://${credentials.username}:wrong@${url}`, /credentials/);
      await expectUnreachable(`${scheme}://${url}`, /credentials/);
    },
  );

  testEach({ quick: ['http'], slow: ['https', 'socks5', 'socks5h'] })(
    '%s to a port that refuses, is silent, resets or talks rubbish',
    async (scheme) => {
      await using bad = await startBadProxies();
      await expectUnreachable(`${scheme}://127.0.0.1:${bad.refuses}`, /refused/);
      await expectUnreachable(`${scheme}://127.0.0.1:${bad.silent}`, /did not answer in time/);
      await expectUnreachable(`${scheme}://127.0.0.1:${bad.resets}`, /./);
      await expectUnreachable(`${scheme}://127.0.0.1:${bad.rubbish}`, /./);
    },
  );

  test('a name that does not resolve', () =>
    expectUnreachable('http://no-such-proxy.invalid:3128', /resolve/));
});
