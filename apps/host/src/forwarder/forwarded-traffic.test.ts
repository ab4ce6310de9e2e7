import { readFile } from 'node:fs/promises';
import tls from 'node:tls';
import { addUse, noUse, type TrafficReport } from '@turnpike/contract/traffic';
import { expect, it } from 'vitest';
import {
  connectRequest as connectTo,
  type ForwardedSession,
  getRequest as get,
  startForwardedSession as start,
} from '../../../../tests/fixtures/hosts/forwarded-session.ts';
import type { RawClient } from '../../../../tests/fixtures/network/raw-sockets.ts';
import { startTlsProxy } from '../../../../tests/fixtures/network/tls-proxy.ts';
import { startWebServer } from '../../../../tests/fixtures/network/web-server.ts';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';

watchLeaks();

const maxBytes = 100_000;

/** Sends a request and waits for the end of its answer. */
async function exchange(client: RawClient, request: string, answered: RegExp): Promise<string> {
  client.text = '';
  client.send(request);
  return client.until(answered);
}

function expectSums({ destinations, other, bytesUp, bytesDown }: TrafficReport): void {
  const sum = noUse();
  for (const use of [...destinations, other]) addUse(sum, use);
  expect(sum).toMatchObject({ bytesUp, bytesDown });
}

const use = (report: TrafficReport, host: string) => report.destinations.find((one) => one.host === host);

it('each byte of a kept connection belongs to the destination of its request', async () => {
  await using running = await start();
  using client = await running.connect();
  const big = 20_000;
  await exchange(client, get('http://one.test/bytes/10'), /x{10}$/);
  await exchange(client, get(`http://two.test/bytes/${big}`), new RegExp(`x{${big}}$`));
  await exchange(client, get('http://one.test/bytes/10'), /x{10}$/);
  expect(running.proxy.asked).toEqual(['GET http://one.test/bytes/10']);
  const report = running.report();
  expectSums(report);
  expect(use(report, 'one.test')).toMatchObject({ requests: 2, tunnels: 0 });
  expect(use(report, 'one.test')?.bytesDown).toBeLessThan(1000);
  expect(use(report, 'two.test')).toMatchObject({ requests: 1, port: 80 });
  expect(use(report, 'two.test')?.bytesDown).toBeGreaterThan(big);
  expect(report).toMatchObject(running.proxy.bytes());
});

/** A client's last request. */
const lastGet = (url: string) => get(url).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');

/** Sends a request as a new client that leaves after it. */
async function visit(running: ForwardedSession, url: string): Promise<string> {
  using client = await running.connect();
  client.send(lastGet(url));
  return await client.untilClosed();
}

it('a connection that a client has left carries requests of others for the same destination, to the byte', async () => {
  await using running = await start();
  const urls = ['one', 'two', 'one', 'two', 'one'].map((name, i) => `http://${name}.test/bytes/${i * 1000}`);
  for (const url of urls) expect(await visit(running, url)).toMatch(/^HTTP\/1\.1 200 /);
  expect(running.proxy.asked).toEqual(urls.slice(0, 2).map((url) => `GET ${url}`));
  const report = running.report();
  expectSums(report);
  expect(use(report, 'one.test')).toMatchObject({ requests: 3 });
  expect(use(report, 'one.test')?.bytesDown).toBeGreaterThan(6000);
  expect(use(report, 'two.test')).toMatchObject({ requests: 2 });
  expect(report).toMatchObject(running.proxy.bytes());
  expect(running.proxy.open()).toBe(2);
  running.close();
  await expect.poll(() => running.proxy.open()).toBe(0);
  expect(running.report()).toMatchObject(running.proxy.bytes());
});

it('a connection that was used for two destinations is not for other clients', async () => {
  await using running = await start();
  using client = await running.connect();
  await exchange(client, get('http://one.test/bytes/10'), /x{10}$/);
  client.send(lastGet('http://two.test/bytes/10'));
  await client.untilClosed();
  await visit(running, 'http://two.test/bytes/20');
  expect(running.proxy.asked).toEqual(['GET http://one.test/bytes/10', 'GET http://two.test/bytes/20']);
});

it('with max_bytes each client has connections of its own', async () => {
  await using running = await start({ maxBytes });
  for (let i = 0; i < 2; i++) await visit(running, 'http://one.test/bytes/10');
  expect(running.proxy.asked).toHaveLength(2);
});

it('tunnels are counted while they are open, handshake included', async () => {
  await using running = await start();
  using client = await running.connect();
  client.send(connectTo('Three.TEST:8080'));
  await client.until(/\r\n\r\n/);
  await exchange(client, get('http://three.test/bytes/500', 'three.test'), /x{500}$/);
  const report = running.report();
  expectSums(report);
  expect(report.destinations).toMatchObject([{ host: 'three.test', port: 8080, tunnels: 1, requests: 0 }]);
  expect(report).toMatchObject(running.proxy.bytes());
});

it('bytes of a check and of a failed proxy belong to a destination too', async () => {
  await using running = await start({});
  await running.traffic.own.upstream.check(new AbortController().signal);
  using client = await running.connect();
  client.send(connectTo('away.invalid:443'));
  expect(await client.untilClosed()).toContain('502');
  await expect.poll(() => running.proxy.open()).toBe(0);
  const report = running.report();
  expectSums(report);
  expect(use(report, 'turnpike-check.invalid')?.bytesUp).toBeGreaterThan(0);
  expect(use(report, 'away.invalid')).toMatchObject({ tunnels: 1, refused: { proxy_failure: 1 } });
  expect(report).toMatchObject(running.proxy.bytes());
});

const refusedTunnels = [
  'evil.test:443',
  'one.test.evil.test:443',
  '127.0.0.1:80',
  '[::1]:443',
  'xone.test:80',
];
const refusedRequests: [string, string?][] = [
  ['http://evil.test/'],
  ['http://one.test/', 'evil.test'],
  ['http://one.test@evil.test/', 'one.test'],
  ['http://evil.test\\@one.test/', 'one.test'],
  ['http://one.test:80@evil.test/', 'one.test'],
  ['http://evil.test:80\\.one.test/', 'one.test'],
  ['http://2130706433/'],
  ['http://one.test/', 'one.test@evil.test'],
  ['http://one.test/', ''],
];

it('with allow_hosts nothing else is asked of the proxy, however it is written', async () => {
  await using running = await start({ allowHosts: ['one.test', '*.two.test'] });
  for (const target of refusedTunnels) {
    using client = await running.connect();
    client.send(connectTo(target));
    const answer = await client.untilClosed();
    expect(answer).toMatch(/^HTTP\/1\.1 403 [\s\S]*X-Refused-By: allow_hosts[\s\S]*in allow_hosts\.\n$/);
  }
  using client = await running.connect();
  for (const [url, host] of refusedRequests) {
    const request = host === undefined ? get(url) : get(url, host);
    expect(await exchange(client, request, /\n$/)).toMatch(/^HTTP\/1\.1 403 /);
  }
  expect(running.proxy.asked).toEqual([]);
  expect(running.proxy.bytes()).toEqual({ bytesUp: 0, bytesDown: 0 });
  for (const url of [
    'http://ONE.test/bytes/5',
    'http://one.test./bytes/5',
    'http://u:p@a.b.two.test/bytes/5',
  ]) {
    expect(await exchange(client, get(url, new URL(url).host), /x{5}$/)).toMatch(/^HTTP\/1\.1 200 /);
  }
  expect(running.proxy.asked).toEqual(['GET http://one.test/bytes/5']);
  const report = running.report();
  expectSums(report);
  const refused = noUse();
  for (const destination of report.destinations) addUse(refused, destination);
  expect(refused.refused).toEqual({ allow_hosts: refusedTunnels.length + refusedRequests.length });
});

it('with block_hosts the proxy is asked for all but those', async () => {
  await using running = await start({ blockHosts: ['evil.test', '*.evil.test'] });
  using client = await running.connect();
  for (const url of ['http://evil.test/', 'http://EVIL.test./', 'http://a.evil.test/']) {
    const answer = await exchange(client, get(url), /\n$/);
    expect(answer).toMatch(/^HTTP\/1\.1 403 [\s\S]*X-Refused-By: block_hosts/);
  }
  expect(await exchange(client, get('http://notevil.test/bytes/5'), /x{5}$/)).toMatch(/^HTTP\/1\.1 200 /);
  expect(running.proxy.asked).toEqual(['GET http://notevil.test/bytes/5']);
});

it('max_bytes cuts what is open, refuses what comes, and is never passed', async () => {
  await using running = await start({ maxBytes });
  using tunnel = await running.connect();
  tunnel.send(connectTo('one.test:80'));
  await tunnel.until(/\r\n\r\n/);
  using quiet = await running.connect();
  quiet.send(connectTo('two.test:80'));
  await quiet.until(/\r\n\r\n/);
  await exchange(tunnel, get('http://one.test/bytes/50000', 'one.test'), /x{50000}$/);
  expect(running.report()).toMatchObject({ maxBytesReached: false, ...running.proxy.bytes() });
  tunnel.send(get('http://one.test/bytes/1000000', 'one.test'));
  await tunnel.untilClosed();
  await quiet.untilClosed();
  expect(tunnel.text.length).toBeLessThan(maxBytes);
  const report = running.report();
  expectSums(report);
  expect(report.maxBytesReached).toBe(true);
  expect(report.bytesUp + report.bytesDown).toBe(maxBytes);
  using client = await running.connect();
  expect(await exchange(client, get('http://three.test/'), /\n$/)).toMatch(/403 [\s\S]*max_bytes/);
  client.send(connectTo('three.test:80'));
  expect(await client.untilClosed()).toMatch(/X-Refused-By: max_bytes/);
  await expect.poll(() => running.proxy.open()).toBe(0);
  expect(use(running.report(), 'three.test')).toMatchObject({ refused: { max_bytes: 2 }, bytesUp: 0 });
});

it.each([
  [
    'a plain request',
    (length: number) =>
      `POST http://one.test/echo HTTP/1.1\r\nHost: one.test\r\nContent-Length: ${length}\r\n\r\n`,
  ],
  ['a tunnel', () => connectTo('one.test:80')],
])('%s sends no byte over max_bytes', async (_name, head) => {
  await using running = await start({ maxBytes });
  using client = await running.connect();
  client.send(head(500_000));
  client.send('x'.repeat(500_000));
  await client.untilClosed();
  await expect.poll(() => running.proxy.open()).toBe(0);
  const report = running.report();
  expectSums(report);
  expect(report.maxBytesReached).toBe(true);
  expect(report.bytesUp + report.bytesDown).toBeLessThanOrEqual(maxBytes);
  const { bytesUp, bytesDown } = running.proxy.bytes();
  expect(bytesUp + bytesDown).toBeLessThanOrEqual(maxBytes);
});

it.each(['a plain request', 'a tunnel'])('%s through a proxy by TLS stops at max_bytes', async (way) => {
  await using web = await startWebServer();
  await using proxy = await startTlsProxy();
  tls.setDefaultCACertificates([...tls.getCACertificates(), await readFile(proxy.caFile, 'utf8')]);
  const upstream = {
    scheme: 'https',
    host: 'localhost',
    port: proxy.port,
    addresses: ['127.0.0.1'],
  } as const;
  await using running = await start({ maxBytes }, upstream);
  using client = await running.connect();
  if (way === 'a tunnel') await exchange(client, connectTo(`127.0.0.1:${web.port}`), /200 /);
  const url = (size: number) => `${web.origin}/bytes/${size}`;
  const request = (size: number) =>
    way === 'a tunnel' ? get(url(size)).replace(web.origin, '') : get(url(size));
  expect(await exchange(client, request(50_000), /\r\n\r\n[\s\S]{50000}$/)).toMatch(/^HTTP\/1\.1 200 /);
  expect(running.report().maxBytesReached).toBe(false);
  client.send(request(1_000_000));
  // A request that is cut before its answer begins is refused, and the connection stays.
  await client.until(/HTTP\/1\.1 403 [\s\S]*max_bytes/);
  const report = running.report();
  expectSums(report);
  expect(report).toMatchObject({ maxBytesReached: true });
  expect(report.bytesUp + report.bytesDown).toBe(maxBytes);
});
