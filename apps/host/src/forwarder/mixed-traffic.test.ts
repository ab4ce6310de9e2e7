import { once } from 'node:events';
import { connect } from 'node:net';
import { addUse, noUse } from '@turnpike/contract/traffic';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import {
  connectRequest,
  type ForwardedSession,
  getRequest,
  startForwardedSession,
} from '../../../../tests/fixtures/hosts/forwarded-session.ts';
import type { RawClient } from '../../../../tests/fixtures/network/raw-sockets.ts';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { testEach } from '../../../../tests/fixtures/suite/matrix.ts';
import { randomFrom } from '../../../../tests/traffic/random.ts';

watchLeaks();

/** One way of traffic; when it resolves nothing is on its way. */
type Way = (session: ForwardedSession, size: number, host: string) => Promise<void>;

async function tunnelTo(session: ForwardedSession, target: string): Promise<RawClient> {
  const client = await session.connect();
  client.send(connectRequest(target));
  expect(await client.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 200 /);
  client.text = '';
  return client;
}

const bodyOf = (size: number) => new RegExp(`\r\n\r\nx{${size}}$`);

const ways: Record<string, Way> = {
  async 'plain requests on a kept connection'(session, size, host) {
    using client = await session.connect();
    for (const name of [host, `b.${host}`, host]) {
      client.text = '';
      client.send(getRequest(`http://${name}/bytes/${size}`));
      await client.until(bodyOf(size));
    }
  },
  async 'a post'(session, size, host) {
    using client = await session.connect();
    client.send(
      `POST http://${host}/echo HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`,
    );
    await client.until(bodyOf(size));
  },
  async 'a tunnel'(session, size, host) {
    using client = await tunnelTo(session, `${host}:443`);
    client.send(getRequest(`http://${host}/bytes/${size}`));
    await client.until(bodyOf(size));
  },
  async 'a WebSocket'(session, size, host) {
    const tunnel = connect({ port: session.port, host: '127.0.0.1' });
    tunnel.write(connectRequest(`${host}:80`));
    expect(String(await once(tunnel, 'data'))).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\n$/);
    const socket = new WebSocket(`ws://${host}/`, { createConnection: () => tunnel });
    await once(socket, 'open');
    for (let i = 0; i < 3; i++) {
      socket.send('m'.repeat(size));
      await once(socket, 'message');
    }
    socket.close();
    await once(socket, 'close');
  },
  async 'a request that is aborted'(session, size, host) {
    using client = await session.connect();
    client.send(getRequest(`http://${host}/stall/${size}`));
    await client.until(bodyOf(size));
  },
  async 'a tunnel that is reset'(session, size, host) {
    const client = await tunnelTo(session, `${host}:443`);
    client.send(getRequest(`http://${host}/stall/${size}`));
    await client.until(bodyOf(size));
    client.socket.resetAndDestroy();
  },
  async 'requests that are refused'(session) {
    for (const request of [getRequest('http://refused.test/'), connectRequest('refused.test:443')]) {
      using client = await session.connect();
      client.send(request);
      expect(await client.until(/\n$/)).toMatch(/^HTTP\/1\.1 403 /);
    }
  },
  async 'a tunnel that the proxy refuses'(session) {
    using client = await session.connect();
    client.send(connectRequest('a.invalid:443'));
    expect(await client.untilClosed()).toMatch(/^HTTP\/1\.1 502 /);
  },
};

testEach({ quick: [20], slow: [200] })(
  'over %i sessions of mixed traffic the ledger and the other side differ by 0 bytes',
  async (sessions) => {
    const differing: object[] = [];
    const seeds = Array.from({ length: sessions }, (_, i) => i + 1).values();
    const some = async () => {
      for (const seed of seeds) {
        const compared = await carryMix(randomFrom(seed));
        if (compared.differences.some((difference) => difference !== 0))
          differing.push({ seed, ...compared });
      }
    };
    await Promise.all([some(), some(), some(), some()]);
    expect(differing).toEqual([]);
  },
);

async function carryMix(random: () => number): Promise<{ differences: number[] }> {
  await using session = await startForwardedSession({ blockHosts: ['refused.test'] });
  await session.traffic.own.upstream.check(new AbortController().signal);
  const names = Object.keys(ways);
  const chosen = Array.from({ length: 6 }, () => names[Math.floor(random() * names.length)] ?? '');
  await Promise.all(
    chosen.map((name, i) => ways[name]?.(session, Math.floor(random() * 100_000), `h${i % 4}.test`)),
  );
  session.close();
  await expect.poll(() => session.proxy.open(), { interval: 5 }).toBe(0);
  const { destinations, other, bytesUp, bytesDown } = session.report();
  const sum = noUse();
  for (const use of [...destinations, other]) addUse(sum, use);
  const wire = session.proxy.bytes();
  return {
    differences: [
      sum.bytesUp - bytesUp,
      sum.bytesDown - bytesDown,
      bytesUp - wire.bytesUp,
      bytesDown - wire.bytesDown,
    ],
  };
}
