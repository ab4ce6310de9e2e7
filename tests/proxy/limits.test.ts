import { once } from 'node:events';
import type { MeterBackend } from '@turnpike/contract/bandwidth';
import { createLogger } from '@turnpike/process/logger';
import { startProxy } from '@turnpike/proxy/app';
import { describe, expect, test } from 'vitest';
import { suspendAccount } from '../../apps/gateway/src/accounts/manage-account.ts';
import { engines } from '../fixtures/gateway/gateway.ts';
import { RawClient, rawServer } from '../fixtures/network/raw-sockets.ts';
import { startWebServer } from '../fixtures/network/web-server.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { loginHeader, type Metered, startMetered } from './metered.ts';

watchLeaks({ wholeFile: true });

async function tunnel(metered: Metered, port: number, login: string): Promise<RawClient> {
  const client = await RawClient.connect(metered.port);
  client.send(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n${login}\r\n`);
  await client.until(/\r\n\r\n/);
  return client;
}

describe.each(engines)('when an account is suspended (%s)', (engine) => {
  test('its open tunnels and requests are cut within about a second, and nobody else’s', async () => {
    await using metered = await startMetered(engine);
    await using target = await rawServer((socket) => socket.on('end', () => socket.end()).resume());
    const [bad, good] = await Promise.all([metered.account(), metered.account()]);
    using cut = await tunnel(metered, target.port, loginHeader(bad));
    using kept = await tunnel(metered, target.port, loginHeader(good));
    using waiting = await RawClient.connect(metered.port);
    waiting.send(`GET http://127.0.0.1:${target.port}/ HTTP/1.1\r\nHost: x\r\n${loginHeader(bad)}\r\n`);
    await expect.poll(() => target.sockets.size).toBe(3);
    await suspendAccount(metered.gateway.running.gateway.db, bad.email);
    await Promise.all([cut.untilClosed(), waiting.untilClosed()]);
    await expect.poll(() => target.sockets.size).toBe(1);
    expect(kept.closed).toBe(false);
  });
});

describe('a head or handshake that does not come to its end', () => {
  const beginnings: [string, Buffer[]][] = [
    ['nothing at all', []],
    [
      'a request head, a byte at a time',
      [...Buffer.from('GET http://a/ HTTP/1.1\r\nX: y\r\n')].map((byte) => Buffer.from([byte])),
    ],
    ['a SOCKS greeting', [Buffer.from([5, 1]), Buffer.from([2])]],
    [
      'a SOCKS login, a byte at a time',
      [
        Buffer.from([5, 1, 2]),
        Buffer.from([1]),
        Buffer.from([200]),
        ...new Array(100).fill(Buffer.from('u')),
      ],
    ],
  ];
  test.each(beginnings)('is cut after its time: %s', async (_name, parts) => {
    await using metered = await startMetered('sqlite', { handshakeMs: 300 });
    using client = await RawClient.connect(metered.port);
    const started = performance.now();
    const dripping = setInterval(() => {
      const part = parts.shift();
      if (part && client.socket.writable) client.send(part);
    }, 20);
    await client.untilClosed();
    clearInterval(dripping);
    expect(performance.now() - started).toBeGreaterThan(250);
  });
});

test('an account has a limit of open connections, and others are not concerned', async () => {
  await using metered = await startMetered('sqlite', { accountConnections: 2 });
  await using target = await rawServer((socket) => socket.on('end', () => socket.end()).resume());
  const [one, other] = await Promise.all([metered.account(), metered.account()]);
  using first = await tunnel(metered, target.port, loginHeader(one));
  using second = await tunnel(metered, target.port, loginHeader(one));
  using third = await tunnel(metered, target.port, loginHeader(one));
  expect([first.text, second.text].map((text) => text.slice(9, 12))).toEqual(['200', '200']);
  expect(third.text).toMatch(/^HTTP\/1\.1 429 /);
  using fourth = await tunnel(metered, target.port, loginHeader(other));
  expect(fourth.text).toMatch(/^HTTP\/1\.1 200 /);
  second.socket.destroy();
  await expect
    .poll(async () => {
      using again = await tunnel(metered, target.port, loginHeader(one));
      return again.text.slice(9, 12);
    })
    .toBe('200');
});

describe('wrong logins', () => {
  async function status(metered: Metered, login: string, from = '127.0.0.1'): Promise<string> {
    using client = await RawClient.connect(metered.port, '127.0.0.1', from);
    client.send(`GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: x\r\n${login}\r\n`);
    return (await client.until(/\r\n\r\n/)).slice(9, 12);
  }

  test('are answered 429 past the tenth, without asking the store; the owner is heard from elsewhere, and where it was known', async () => {
    await using metered = await startMetered();
    const owner = await metered.account();
    const other = await metered.account();
    expect(await status(metered, loginHeader(owner), '127.0.0.2')).toBe('502'); // Known there: nothing listens on port 1.
    const statuses: string[] = [];
    for (let i = 0; i < 14; i++)
      statuses.push(await status(metered, loginHeader(owner, '', `guess${i}`), '127.0.0.2'));
    expect(statuses.slice(0, 10)).toEqual(new Array(10).fill('407'));
    expect(statuses).toContain('429');
    expect(await status(metered, loginHeader(owner), '127.0.0.2')).toBe('502');
    expect(await status(metered, loginHeader(owner), '127.0.0.3')).toBe('502');
    expect(await status(metered, loginHeader(other), '127.0.0.2')).toBe('502');
  });

  test('that are the same one again and again count once', async () => {
    await using metered = await startMetered();
    const owner = await metered.account();
    for (let i = 0; i < 30; i++) expect(await status(metered, loginHeader(owner, '', 'old'))).toBe('407');
    expect(await status(metered, loginHeader(owner))).toBe('502');
  });

  test('at the same time are as many as they are', async () => {
    await using metered = await startMetered();
    const owner = await metered.account();
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, i) => status(metered, loginHeader(owner, '', `guess${i}`))),
    );
    expect(all.filter((code) => code === '407').length).toBeLessThanOrEqual(11);
  });
});

test('a store that cannot be asked cuts nobody off, and is a 502 for new logins', async () => {
  await using web = await startWebServer();
  let isAway = false;
  const backend: MeterBackend = {
    authenticate: async () => (isAway ? Promise.reject(new Error('away')) : { accountId: 'acc_1' }),
    refused: async () => (isAway ? Promise.reject(new Error('away')) : []),
    report: async () => {},
  };
  const config = {
    bind: '127.0.0.1',
    port: 0,
    products: { residential: 'direct' as const },
    targetAllow: '127.0.0.1',
    accountConnections: 10,
    handshakeMs: 5000,
  };
  const proxy = await startProxy(config, backend, createLogger('silent'));
  const port = Number(new URL(proxy.url).port);
  const ask = (user: string) =>
    `GET ${web.origin}/bytes/4 HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${btoa(`${user}:p`)}\r\n\r\n`;
  using before = await RawClient.connect(port);
  before.send(ask('one'));
  await before.until(/\r\n\r\n..../);
  isAway = true;
  using after = await RawClient.connect(port);
  after.send(ask('two'));
  expect(await after.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 502 /);
  expect(before.closed).toBe(false);
  const closed = once(before.socket, 'close');
  await proxy.stop();
  before.socket.end();
  await closed;
});
