import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import tls from 'node:tls';
import { promisify } from 'node:util';
import type { UpstreamProxy } from '@turnpike/contract/host';
import { Upstream } from '@turnpike/tunnel/upstream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BadProxies, startBadProxies } from '../../../../tests/fixtures/network/bad-proxies.ts';
import { listen } from '../../../../tests/fixtures/network/listen.ts';
import { RawClient, rawServer } from '../../../../tests/fixtures/network/raw-sockets.ts';
import { type Socks, startSocks } from '../../../../tests/fixtures/network/socks.ts';
import { type Squid, startSquid } from '../../../../tests/fixtures/network/squid.ts';
import { startTlsProxy, type TlsProxy } from '../../../../tests/fixtures/network/tls-proxy.ts';
import { startWebServer, type WebServer } from '../../../../tests/fixtures/network/web-server.ts';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { onlyRoute } from '../testing/only-route.ts';
import { Forwarder } from './forwarder.ts';

watchLeaks();

const credentials = { username: 'ann', password: 'p@ss:w/rd' };
const all = new AsyncDisposableStack();
let web: WebServer;
let squid: Squid;
let squidWithPassword: Squid;
let tlsProxy: TlsProxy;
let socks: Socks;
let socksWithPassword: Socks;
let bad: BadProxies;

beforeAll(async () => {
  web = all.use(await startWebServer());
  squid = all.use(await startSquid());
  squidWithPassword = all.use(await startSquid(credentials));
  tlsProxy = all.use(await startTlsProxy(credentials));
  socks = all.use(await startSocks());
  socksWithPassword = all.use(await startSocks(credentials));
  bad = all.use(await startBadProxies());
  const before = tls.getCACertificates();
  tls.setDefaultCACertificates([...before, await readFile(tlsProxy.caFile, 'utf8')]);
});
afterAll(() => all.disposeAsync());

function proxyAt(
  scheme: UpstreamProxy['scheme'],
  port: number,
  more: Partial<UpstreamProxy> = {},
): UpstreamProxy {
  return { scheme, host: 'localhost', port, addresses: ['127.0.0.1'], ...more };
}

const never = new AbortController().signal;

/** One look at a proxy, as before a session. */
async function check(proxy: UpstreamProxy, { timeoutMs = 5000, signal = never } = {}): Promise<void> {
  const upstream = new Upstream(proxy, timeoutMs);
  await upstream.check(signal).finally(() => upstream.close());
}

interface Running extends AsyncDisposable {
  port: number;
  forwarder: Forwarder;
  upstream: Upstream | undefined;
  /** What curl, in the browser's place, gets for a URL. */
  fetch(url: string, ...options: string[]): Promise<{ status: number; body: string }>;
}

async function start(proxy: UpstreamProxy | undefined, timeoutMs = 5000): Promise<Running> {
  const forwarder = new Forwarder(timeoutMs);
  const upstream = proxy && new Upstream(proxy, timeoutMs);
  if (upstream) forwarder.bind(onlyRoute(upstream));
  const listener = createServer();
  await listen(listener);
  forwarder.adopt(listener);
  const { port } = listener.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  return {
    port,
    forwarder,
    upstream,
    async fetch(url, ...options) {
      const args = [
        '-sS',
        '--max-time',
        '10',
        '--noproxy',
        '',
        '--proxy',
        address,
        '-w',
        '\n%{http_code}',
        ...options,
        url,
      ];
      const { stdout } = await promisify(execFile)('curl', args);
      const end = stdout.lastIndexOf('\n');
      return { status: Number(stdout.slice(end)), body: stdout.slice(0, end) };
    },
    async [Symbol.asyncDispose]() {
      forwarder.close();
      if (listener.listening) await once(listener, 'close');
    },
  };
}

const good: [string, () => UpstreamProxy][] = [
  ['http', () => proxyAt('http', squid.port)],
  ['http with a password', () => proxyAt('http', squidWithPassword.port, credentials)],
  ['https with a password', () => proxyAt('https', tlsProxy.port, credentials)],
  ['https by address', () => proxyAt('https', tlsProxy.port, { ...credentials, host: '127.0.0.1' })],
  ['socks5', () => proxyAt('socks5', socks.port)],
  ['socks5 with a password', () => proxyAt('socks5', socksWithPassword.port, credentials)],
  ['socks5h', () => proxyAt('socks5h', socks.port)],
  ['socks5h with a password', () => proxyAt('socks5h', socksWithPassword.port, credentials)],
];

describe.each(good)('through a proxy by %s', (_name, proxy) => {
  it('plain requests and tunnels arrive, and no proxy header does', async () => {
    await using running = await start(proxy());
    const echo = await running.fetch(`${web.origin}/echo`, '-H', 'X-Mine: kept', '-d', 'some body');
    expect(echo.status).toBe(200);
    expect(echo.body).toContain('kept');
    expect(web.requests.at(-1)?.headers).not.toHaveProperty('proxy-authorization');
    expect(web.requests.at(-1)?.headers).not.toHaveProperty('proxy-connection');
    expect(await running.fetch(`${web.origin}/status/418`)).toMatchObject({ status: 418 });
    const tunnelled = await running.fetch(`${web.origin}/bytes/300000`, '--proxytunnel');
    expect(tunnelled.body).toHaveLength(300_000);
  });

  it('the check finds it good', async () => {
    await check(proxy());
  });
});

it('socks5 and socks5h both send the name, as it is, and look nothing up', async () => {
  await using seen = await startSocks();
  const url = `http://localhost:${web.port}/`;
  for (const scheme of ['socks5', 'socks5h'] as const) {
    await using running = await start(proxyAt(scheme, seen.port));
    expect(await running.fetch(url, '--proxytunnel')).toMatchObject({ status: 200 });
    expect(await running.fetch(url)).toMatchObject({ status: 200 });
  }
  expect(seen.requests().map(({ by }) => by)).toEqual(['name', 'name', 'name', 'name']);
});

it('counts the bytes on the wire, both ways, while a tunnel is open', async () => {
  await using running = await start(proxyAt('https', tlsProxy.port, credentials));
  await running.fetch(`${web.origin}/bytes/100000`, '--proxytunnel');
  const counters = () => (running.upstream as Upstream).counters;
  const after = counters();
  expect(after.bytesDown).toBeGreaterThan(100_000);
  expect(after.bytesDown).toBeLessThan(120_000);
  expect(after.bytesUp).toBeGreaterThan(300);
  const slow = running.fetch(`${web.origin}/slow`, '--proxytunnel').catch(() => 'broken off');
  await expect.poll(() => web.requests.at(-1)?.path).toBe('/slow');
  expect(counters().bytesUp).toBeGreaterThan(after.bytesUp);
  running.forwarder.close();
  expect(await slow).toBe('broken off');
  expect(counters().bytesUp).toBeGreaterThan(after.bytesUp);
});

it('tries the pinned addresses in order, and dials no name', async () => {
  const proxy = proxyAt('http', squid.port, {
    host: 'nowhere.invalid',
    addresses: ['127.99.0.1', '127.0.0.1'],
  });
  await using running = await start(proxy);
  expect(await running.fetch(`${web.origin}/`)).toMatchObject({ status: 200 });
});

const failing: [string, () => UpstreamProxy, RegExp, 'closed' | 'reset' | 502][] = [
  ['that refuses', () => proxyAt('http', bad.refuses), /refused the connection/, 'reset'],
  ['that is silent', () => proxyAt('http', bad.silent), /did not answer in time/, 'closed'],
  ['that is silent in TLS', () => proxyAt('https', bad.silent), /did not answer in time/, 'closed'],
  ['that is silent in SOCKS', () => proxyAt('socks5h', bad.silent), /did not answer in time/, 'closed'],
  ['that talks rubbish', () => proxyAt('http', bad.rubbish), /does not speak HTTP/, 'closed'],
  ['that talks rubbish for TLS', () => proxyAt('https', bad.rubbish), /failed the TLS handshake/, 'closed'],
  ['that talks rubbish for SOCKS', () => proxyAt('socks5', bad.rubbish), /does not speak SOCKS5/, 'closed'],
  ['that resets', () => proxyAt('http', bad.resets), /broke the connection off/, 'reset'],
  ['that resets in TLS', () => proxyAt('https', bad.resets), /broke the connection off/, 'reset'],
  ['without an address', () => proxyAt('http', squid.port, { addresses: [] }), /does not resolve/, 'closed'],
  [
    'with a wrong password',
    () => proxyAt('http', squidWithPassword.port, { ...credentials, password: 'no' }),
    /credentials/,
    502,
  ],
  ['with no password', () => proxyAt('http', squidWithPassword.port), /credentials/, 502],
  [
    'with a wrong password in TLS',
    () => proxyAt('https', tlsProxy.port, { ...credentials, password: 'no' }),
    /credentials/,
    502,
  ],
  [
    'with a wrong password in SOCKS',
    () => proxyAt('socks5', socksWithPassword.port, { ...credentials, password: 'no' }),
    /credentials/,
    502,
  ],
  ['with no password in SOCKS', () => proxyAt('socks5h', socksWithPassword.port), /credentials/, 502],
  [
    'whose certificate is for another',
    () => proxyAt('https', tlsProxy.port, { host: 'other.test' }),
    /TLS handshake/,
    'closed',
  ],
];

/** What curl says of a plain request that comes to nothing: no answer at all, a reset, or a status. */
async function plainOutcome(running: Running): Promise<'closed' | 'reset' | number> {
  try {
    return (await running.fetch(`${web.origin}/`)).status;
  } catch (error) {
    const { code } = error as { code?: number };
    if (code === 52) return 'closed';
    if (code === 56) return 'reset';
    throw error;
  }
}

describe.each(failing)('a proxy %s', (_name, proxy, words, outcome) => {
  it('fails the check with its reason and without a secret', async () => {
    const checked = check(proxy(), { timeoutMs: 400 });
    await expect(checked).rejects.toThrow(words);
    await expect(checked).rejects.not.toThrow(/p@ss/);
  });

  it('gives the page an error and reaches nothing', async () => {
    const seen = web.requests.length;
    await using running = await start(proxy(), 400);
    await expect(plainOutcome(running)).resolves.toBe(outcome);
    await expect(running.fetch(`${web.origin}/`, '--proxytunnel')).rejects.toThrow(/50[24]/);
    expect(web.requests.length).toBe(seen);
  });
});

it('refuses everything while it has no proxy', async () => {
  await using running = await start(undefined);
  expect((await running.fetch(`${web.origin}/`)).status).toBe(502);
  await expect(running.fetch(`${web.origin}/`, '--proxytunnel')).rejects.toThrow('502');
});

it('gives the page an error once the proxy has died', async () => {
  await using first = await startSquid();
  await using running = await start(proxyAt('http', first.port));
  expect(await running.fetch(`${web.origin}/`)).toMatchObject({ status: 200 });
  await first.stop();
  expect(await plainOutcome(running)).toBe('reset');
});

it('asks again on a new connection when the proxy breaks a kept one off', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi');
      socket.once('data', () => socket.resetAndDestroy());
    });
  });
  await listen(server);
  {
    await using running = await start(proxyAt('http', (server.address() as AddressInfo).port));
    expect(await running.fetch('http://one.test/')).toEqual({ status: 200, body: 'hi' });
    expect(await running.fetch('http://two.test/')).toEqual({ status: 200, body: 'hi' });
    expect(connections).toBe(2);
  }
  server.close();
  await once(server, 'close');
});

it('a check that is cancelled ends at once', async () => {
  const cancel = new AbortController();
  const checked = check(proxyAt('http', bad.silent), cancel);
  const before = bad.connections();
  await expect.poll(() => bad.connections()).toBeGreaterThan(before);
  cancel.abort(new Error('enough'));
  await expect(checked).rejects.toThrow('enough');
});

describe('what a page or a proxy sends', () => {
  /** A proxy that answers each head with the path in it, or with what it is told to, and never reads a body. */
  async function pathProxy(bytes?: string) {
    const seen = { connections: 0 };
    const server = await rawServer((socket) => {
      seen.connections += 1;
      let text = '';
      socket.setEncoding('latin1').on('data', (chunk) => {
        text += chunk;
        for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
          const path = new URL(text.split(' ')[1] ?? '', 'http://x').pathname;
          text = text.slice(end + 4);
          socket.write(bytes ?? `HTTP/1.1 200 OK\r\nContent-Length: ${path.length}\r\n\r\n${path}`, 'latin1');
        }
      });
    });
    return { ...server, seen, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  }

  it.each([
    ['a control character for a reason', 'HTTP/1.1 200 \x01\r\nContent-Length: 2\r\n\r\nok'],
    ['control characters in a header', 'HTTP/1.1 200 OK\r\nX: \x00\x01\r\nContent-Length: 2\r\n\r\nok'],
  ])('as an answer with %s is cleaned', async (_name, bytes) => {
    await using proxy = await pathProxy(bytes);
    await using running = await start(proxyAt('http', proxy.port));
    expect(await running.fetch('http://one.test/')).toEqual({ status: 200, body: 'ok' });
    expect(await running.fetch('http://two.test/')).toEqual({ status: 200, body: 'ok' });
  });

  it('as a body that the proxy ignores is nobody’s next request', async () => {
    await using proxy = await pathProxy();
    await using running = await start(proxyAt('http', proxy.port));
    using page = await RawClient.connect(running.port);
    const hidden = 'GET http://one.test/hidden HTTP/1.1\r\nHost: x\r\n\r\n';
    page.send(
      `POST http://one.test/post HTTP/1.1\r\nHost: one.test\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    );
    await page.until(/\/post$/);
    page.send('GET http://one.test/next HTTP/1.1\r\nHost: one.test\r\n\r\n');
    expect(await page.until(/\/post[\s\S]+\r\n\r\n\/\w+/)).toMatch(/\r\n\r\n\/next$/);
    expect(proxy.seen.connections).toBe(2);
    page.send('GET http://two.test/more HTTP/1.1\r\nHost: two.test\r\n\r\n');
    expect(await page.until(/\/more$/)).toMatch(/\r\n\r\n\/more$/);
    expect(proxy.seen.connections).toBe(2);
  });

  it.each([
    ['both framings', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a coding that is almost chunked', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
  ])('as a request with %s is a 400 and reaches nobody', async (_name, rest) => {
    await using proxy = await pathProxy();
    await using running = await start(proxyAt('http', proxy.port));
    using page = await RawClient.connect(running.port);
    page.send(`POST http://one.test/ HTTP/1.1\r\nHost: one.test\r\n${rest}`);
    expect(await page.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 400 /);
    expect(proxy.seen.connections).toBe(0);
  });

  it('as a reset after the browser’s end of a tunnel ends that tunnel alone', async () => {
    await using proxy = await rawServer((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 Yes\r\n\r\n'));
      socket.on('end', () => socket.resetAndDestroy());
    });
    await using running = await start(proxyAt('http', proxy.port));
    using page = await RawClient.connect(running.port);
    page.send('CONNECT one.test:443 HTTP/1.1\r\nHost: one.test:443\r\n\r\n');
    await page.until(/\r\n\r\n/);
    page.socket.end();
    await page.untilClosed();
    using next = await RawClient.connect(running.port);
    next.send('CONNECT one.test:443 HTTP/1.1\r\nHost: one.test:443\r\n\r\n');
    expect(await next.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 200 /);
  });
});
