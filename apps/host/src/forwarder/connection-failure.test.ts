import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Upstream } from '@turnpike/tunnel/upstream';
import { expect, test } from 'vitest';
import { startBadProxies } from '../../../../tests/fixtures/network/bad-proxies.ts';
import { RawClient, rawServer } from '../../../../tests/fixtures/network/raw-sockets.ts';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { onlyRoute } from '../testing/only-route.ts';
import { Forwarder } from './forwarder.ts';

watchLeaks();

/** Sends a request and a tunnel's through a forwarder. Returns the causes of their failures. */
async function failures(port: number): Promise<string[]> {
  const causes: string[] = [];
  const forwarder = new Forwarder(500);
  const proxy = { scheme: 'http', host: '127.0.0.1', port, addresses: ['127.0.0.1'] } as const;
  forwarder.bind(onlyRoute(new Upstream(proxy, 500)), { onFailure: (cause) => causes.push(cause) });
  const listener = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  forwarder.adopt(listener);
  for (const line of ['GET http://a.test/ HTTP/1.1', 'CONNECT a.test:443 HTTP/1.1']) {
    using client = await RawClient.connect((listener.address() as AddressInfo).port);
    client.send(`${line}\r\nHost: a.test\r\nConnection: close\r\n\r\n`);
    await client.untilClosed();
  }
  forwarder.close();
  await once(listener, 'close');
  return causes;
}

test('the failures of a proxy are reported by cause', async () => {
  await using bad = await startBadProxies();
  await using refusing = await rawServer((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n'));
  });
  expect(await failures(bad.silent)).toEqual(['timeout', 'timeout']);
  expect(await failures(bad.refuses)).toEqual(['reset', 'reset']);
  expect(await failures(bad.resets)).toEqual(['reset', 'reset']);
  expect(await failures(bad.rubbish)).toEqual(['closed', 'closed']);
  expect(await failures(refusing.port)).toEqual(['refused', 'refused']);
});
