import { readFile } from 'node:fs/promises';
import http, { type RequestListener } from 'node:http';
import https from 'node:https';
import tls from 'node:tls';
import type { ProxyExit, UpstreamProxy } from '@turnpike/contract/host';
import { parseExit, probeExit } from '@turnpike/tunnel/exit/exit-probe';
import { Upstream } from '@turnpike/tunnel/upstream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificates } from '../../../../tests/fixtures/network/certificates.ts';
import { closeServer, listen } from '../../../../tests/fixtures/network/listen.ts';
import { type Socks, startSocks } from '../../../../tests/fixtures/network/socks.ts';
import { type Squid, startSquid } from '../../../../tests/fixtures/network/squid.ts';
import { scratchDirectory } from '../../../../tests/fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { testEach } from '../../../../tests/fixtures/suite/matrix.ts';
import { newRequest, startTestHost } from '../testing/test-host.ts';

watchLeaks();

const credentials = { username: 'ann', password: 'p@ss:w/rd' };
const never = new AbortController().signal;
const all = new AsyncDisposableStack();
let squid: Squid;
let socks: Socks;
let plain: URL;
let secure: URL;

/** `/text`, `/json`, `/page`, `/long`, `/broken`; at `/never` it is silent. */
const answer: RequestListener = ({ url }, response) => {
  if (url === '/text') response.end('81.2.69.142\n');
  else if (url === '/json') response.end('{"ip":"2001:db8::1","country":"de"}');
  else if (url === '/page') response.end('<title>Your address is 81.2.69.142</title>');
  else if (url === '/long') response.end(' '.repeat(100_000));
  else if (url !== '/never') response.writeHead(503).end('81.2.69.142');
};

function listenUntilEnd(server: http.Server | https.Server): Promise<number> {
  all.defer(() => closeServer(server));
  return listen(server);
}

beforeAll(async () => {
  squid = all.use(await startSquid(credentials));
  socks = all.use(await startSocks(credentials));
  const directory = all.use(await scratchDirectory('exit-probe'));
  const files = await makeCertificates(directory.path);
  const [cert, key, ca] = await Promise.all(
    [files.certFile, files.keyFile, files.caFile].map((file) => readFile(file, 'utf8')),
  );
  tls.setDefaultCACertificates([...tls.getCACertificates(), ca as string]);
  plain = new URL(`http://localhost:${await listenUntilEnd(http.createServer(answer))}`);
  secure = new URL(`https://localhost:${await listenUntilEnd(https.createServer({ cert, key }, answer))}`);
});
afterAll(() => all.disposeAsync());

function proxy(scheme: UpstreamProxy['scheme'], more: Partial<UpstreamProxy> = {}): UpstreamProxy {
  const { port } = scheme === 'http' ? squid : socks;
  return { scheme, host: '127.0.0.1', port, addresses: ['127.0.0.1'], ...credentials, ...more };
}

const readings: [string, ProxyExit | undefined][] = [
  ['81.2.69.142', { ip: '81.2.69.142' }],
  [' 2001:db8::1\n', { ip: '2001:db8::1' }],
  ['{"ip":"81.2.69.142"}', { ip: '81.2.69.142' }],
  ['{"ip":"81.2.69.142","country":"gb","city":"London"}', { ip: '81.2.69.142', country: 'GB' }],
  ['{"ip":"81.2.69.142","country":"United Kingdom"}', { ip: '81.2.69.142' }],
  ['', undefined],
  ['null', undefined],
  ['"81.2.69.142"', undefined],
  ['{"ip":"nowhere"}', undefined],
  ['{"ip":4}', undefined],
  ['<p>81.2.69.142</p>', undefined],
];

it.each(readings)('reads %j as %j', (text, exit) => {
  expect(parseExit(text)).toEqual(exit);
});

describe.each(['http', 'socks5h'] as const)('through a proxy by %s', (scheme) => {
  it.each([
    ['http', () => plain],
    ['https', () => secure],
  ])('asks a URL by %s', async (_name, base) => {
    const upstream = new Upstream(proxy(scheme), 5000);
    const probe = (path: string) => probeExit(upstream, new URL(path, base()), never);
    expect(await probe('/text')).toEqual({ ip: '81.2.69.142', country: 'GB' });
    expect(await probe('/json')).toEqual({ ip: '2001:db8::1', country: 'DE' });
    for (const path of ['/page', '/long', '/broken']) await expect(probe(path)).rejects.toThrow(/answer/);
    expect(upstream.counters.bytesDown).toBeGreaterThan(0);
    upstream.close();
  });
});

describe('a session', () => {
  it('tells where its proxy comes out', async () => {
    await using running = await startTestHost({ probeUrl: new URL('/text', secure) });
    const opened = await running.host.open(newRequest(proxy('http')), never);
    expect(opened.exit).toEqual({ ip: '81.2.69.142', country: 'GB' });
  });

  testEach({ quick: ['/broken'], slow: ['/never'] })(
    'opens without that when the answer is %s',
    async (path) => {
      await using running = await startTestHost({ probeUrl: new URL(path, plain) });
      expect(await running.host.open(newRequest(proxy('http')), never)).not.toHaveProperty('exit');
      await expect.poll(() => running.logs.join('')).toContain('exit of the proxy not found');
    },
  );

  it('does not ask where it may not reach the site that tells, and has it in its ledger where it may', {
    tags: 'slow',
  }, async () => {
    await using running = await startTestHost({ probeUrl: new URL('/text', plain) });
    const { params, ...request } = newRequest(proxy('http'));
    const rules = { ...params, allowHosts: ['example.com'] };
    expect(await running.host.open({ ...request, params: rules }, never)).not.toHaveProperty('exit');
    const { destinations } = (await running.host.traffic(request.sessionId)) ?? {};
    expect(destinations?.map(({ host }) => host)).toEqual(['turnpike-check.invalid']);
    const free = newRequest(proxy('http'));
    expect(await running.host.open(free, never)).toHaveProperty('exit');
    const hosts = (await running.host.traffic(free.sessionId))?.destinations.map(({ host }) => host);
    expect(hosts?.sort()).toEqual(['localhost', 'turnpike-check.invalid']);
  });

  it('does not open when the proxy does not take the password', async () => {
    await using running = await startTestHost({ probeUrl: new URL('/text', plain) });
    const opened = running.host.open(newRequest(proxy('http', { password: 'wrong' })), never);
    await expect(opened).rejects.toMatchObject({ code: 'PROXY_UNREACHABLE' });
  });
});
