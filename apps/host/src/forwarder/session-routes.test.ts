import type { TrafficReport } from '@turnpike/contract/traffic';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  connectRequest,
  type ForwardedSession,
  getRequest,
  startForwardedSession,
} from '../../../../tests/fixtures/hosts/forwarded-session.ts';
import { startCountingProxy } from '../../../../tests/fixtures/network/counting-proxy.ts';
import { startSocks } from '../../../../tests/fixtures/network/socks.ts';
import { startSquid } from '../../../../tests/fixtures/network/squid.ts';
import { startTap, type Tap } from '../../../../tests/fixtures/network/tap.ts';
import { startWebServer, type WebServer } from '../../../../tests/fixtures/network/web-server.ts';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';

watchLeaks();

const all = new AsyncDisposableStack();
const never = new AbortController().signal;
const credentials = { username: 'ann', password: 'secret' };
let web: WebServer;
/** The wires to a real Squid and a real SOCKS server, each with a password. */
let squidWire: Tap;
let socksWire: Tap;

beforeAll(async () => {
  web = all.use(await startWebServer());
  squidWire = all.use(await startTap(all.use(await startSquid(credentials)).port));
  socksWire = all.use(await startTap(all.use(await startSocks(credentials)).port));
});
afterAll(() => all.disposeAsync());

const at = (scheme: 'http' | 'socks5', port: number, more = {}) =>
  ({ scheme, host: '127.0.0.1', port, addresses: ['127.0.0.1'], ...more }) as const;

const bytesOf = (report: TrafficReport, proxy: string) => {
  const use = report.proxies?.find((one) => one.proxy === proxy);
  return use && use.bytesUp + use.bytesDown;
};

/** Every byte belongs to one proxy and to one destination. */
function expectSums(report: TrafficReport): void {
  const sum = (uses: readonly { bytesUp: number; bytesDown: number }[]) =>
    uses.reduce((total, { bytesUp, bytesDown }) => total + bytesUp + bytesDown, 0);
  expect(sum(report.proxies ?? [])).toBe(report.bytesUp + report.bytesDown);
  expect(sum([...report.destinations, report.other])).toBe(report.bytesUp + report.bytesDown);
  for (const { proxy } of report.proxies ?? []) {
    const own = report.destinations.filter((one) => one.proxy === proxy);
    expect(sum(own)).toBe(bytesOf(report, proxy));
  }
}

async function get(session: ForwardedSession, url: string, address?: string): Promise<string> {
  using client = await session.connect(address);
  client.send(getRequest(url).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  return await client.untilClosed();
}

async function tunnel(session: ForwardedSession, target: string) {
  const client = await session.connect();
  client.send(connectRequest(target));
  await client.until(/\r\n\r\n/);
  return client;
}

test('a session with one proxy reports that one, and no proxy with its destinations', async () => {
  await using session = await startForwardedSession();
  await get(session, 'http://a.test/bytes/1000');
  const report = session.report();
  expect(report.proxies).toEqual([
    {
      proxy: `http://127.0.0.1:${session.proxy.port}`,
      bytesUp: report.bytesUp,
      bytesDown: report.bytesDown,
      connections: 1,
      failures: {},
      firstBytes: 1,
      firstByteMs: expect.any(Number),
    },
  ]);
  expect(report.destinations[0]).not.toHaveProperty('proxy');
});

test('rules say which proxy carries a destination: Squid and SOCKS count what the ledger says of each', async () => {
  const rules = [
    { hosts: ['127.0.0.1'], proxy: at('socks5', socksWire.port, { ...credentials, label: 'name:fast' }) },
    { hosts: ['*.localhost', '127.0.0.1'], proxy: at('http', squidWire.port, credentials) },
  ];
  const [squidBefore, socksBefore] = [squidWire.bytes(), socksWire.bytes()];
  await using session = await startForwardedSession({}, undefined, rules);
  const port = new URL(web.origin).port;
  expect(await get(session, `http://127.0.0.1:${port}/bytes/5000`)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await get(session, `http://web.localhost:${port}/bytes/7000`)).toMatch(/^HTTP\/1\.1 [25]/);
  expect(await get(session, 'http://other.test/bytes/300')).toMatch(/x{300}$/);
  using open = await tunnel(session, `127.0.0.1:${port}`);
  open.send(`GET /bytes/9000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  expect(await open.untilClosed()).toMatch(/200 OK/);
  expect(session.proxy.asked).toEqual(['GET http://other.test/bytes/300']);
  const own = `http://127.0.0.1:${session.proxy.port}`;
  const squid = `http://ann:***@127.0.0.1:${squidWire.port}`;
  await expect
    .poll(
      () => {
        const report = session.report();
        return {
          own: bytesOf(report, own),
          squid: bytesOf(report, squid),
          socks: bytesOf(report, 'name:fast'),
        };
      },
      { timeout: 20_000 },
    )
    .toEqual({
      own: session.proxy.bytes().bytesUp + session.proxy.bytes().bytesDown,
      squid: squidWire.bytes() - squidBefore,
      socks: socksWire.bytes() - socksBefore,
    });
  const report = session.report();
  expect(report.proxies?.map(({ proxy }) => proxy)).toEqual([own, 'name:fast', squid]);
  expect(JSON.stringify(report)).not.toContain('secret');
  expectSums(report);
});

test('a rule that fails fails: its destinations never go through another proxy', async () => {
  const rules = [{ hosts: ['a.test'], proxy: at('http', 1, { label: 'name:gone' }) }];
  await using session = await startForwardedSession({}, undefined, rules);
  await get(session, 'http://a.test/');
  using client = await tunnel(session, 'a.test:443');
  expect(client.text).toMatch(/^HTTP\/1\.1 502 .*X-Refused-By: proxy_failure/s);
  expect(session.proxy.asked).toEqual([]);
  const [own, gone] = session.report().proxies ?? [];
  expect(own).toMatchObject({ connections: 0, failures: {} });
  expect(gone).toMatchObject({ proxy: 'name:gone', connections: 2, failures: { unreachable: 2 } });
});

test('after a change new connections use the new proxy, and those through the old one are cut', async () => {
  await using next = await startCountingProxy();
  await using session = await startForwardedSession();
  using open = await tunnel(session, 'a.test:80');
  using kept = await session.connect();
  kept.send(getRequest('http://a.test/bytes/10'));
  await kept.until(/x{10}$/);
  using stalled = await session.connect();
  stalled.send(getRequest('http://a.test/stall/5'));
  await stalled.until(/x{5}$/);
  const route = session.traffic.routeTo(at('http', next.port, { label: 'name:next' }));
  await route.upstream.check(never);
  session.traffic.changeOwn(route);
  await Promise.all([open.untilClosed(), stalled.untilClosed()]);
  await expect.poll(() => session.proxy.open(), { timeout: 20_000 }).toBe(0);
  const asked = session.proxy.asked.length;
  kept.text = '';
  kept.send(getRequest('http://a.test/bytes/20'));
  await kept.until(/x{20}$/);
  expect(await get(session, 'http://b.test/bytes/30')).toMatch(/x{30}$/);
  expect(session.proxy.asked).toHaveLength(asked);
  const wires = [session.proxy, next].map((proxy) => proxy.bytes().bytesUp + proxy.bytes().bytesDown);
  const report = session.report();
  expect(report.proxies?.map(({ bytesUp, bytesDown }) => bytesUp + bytesDown)).toEqual(wires);
  expectSums(report);
});

test('one limit of bytes holds for all proxies of a session together', async () => {
  await using other = await startCountingProxy();
  const rules = [{ hosts: ['b.test'], proxy: at('http', other.port) }];
  await using session = await startForwardedSession({ maxBytes: 50_000 }, undefined, rules);
  using open = await tunnel(session, 'a.test:80');
  expect(await get(session, 'http://a.test/bytes/20000')).toMatch(/x{20000}$/);
  await get(session, 'http://b.test/bytes/40000');
  await open.untilClosed();
  expect(await get(session, 'http://a.test/')).toMatch(/^HTTP\/1\.1 403 .*X-Refused-By: max_bytes/s);
  const report = session.report();
  expect(report.bytesUp + report.bytesDown).toBeLessThanOrEqual(50_000);
  expect(report.maxBytesReached).toBe(true);
  expectSums(report);
});

test('a connection to an address that no context has goes nowhere', async () => {
  await using session = await startForwardedSession();
  expect(await get(session, 'http://a.test/', '127.0.0.2')).toMatch(/^HTTP\/1\.1 502 /);
  expect(session.proxy.asked).toEqual([]);
});
