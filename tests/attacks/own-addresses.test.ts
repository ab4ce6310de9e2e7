import { createServer } from 'node:http';
import { newRequest } from '@turnpike/host/testing/test-host';
import { expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { startHostProcess } from '../isolation/host-process.ts';
import { distantAddress, makeNamespace } from './namespace.ts';

/** A host of a cluster: the gateway that named the address runs on another machine, and cannot know that it is the host's. */

watchLeaks();

test('a host asks no proxy at its own public address, unless its operator lists it', async () => {
  await using namespace = await makeNamespace();
  await using proxy = await listeningProxy(namespace.listener(0, distantAddress));
  const upstream = {
    scheme: 'http' as const,
    host: 'proxy.test',
    port: proxy.port,
    addresses: [distantAddress],
  };
  const name = `proxy.test:${proxy.port}`;
  const other = { ...upstream, host: '127.0.0.1', addresses: ['127.0.0.1'] };
  const within = namespace.enter;
  {
    await using host = await startHostProcess({ within });
    const rules = [{ hosts: ['site.test'], proxy: upstream }];
    for (const request of [newRequest(upstream), { ...newRequest(other), proxyRules: rules }]) {
      await expect(host.open(request)).rejects.toMatchObject({
        code: 'PROXY_UNREACHABLE',
        message: `The proxy ${name} was not asked: it is at the address of the session's own host`,
      });
    }
    expect(proxy.asked()).toBe(0);
  }
  await using host = await startHostProcess({ within, env: { TURNPIKE_PROXY_ALLOW: distantAddress } });
  const request = newRequest(upstream);
  await host.open(request);
  expect(proxy.asked()).toBeGreaterThan(0);
  await host.close(request.sessionId);
});

async function listeningProxy(listening: ReturnType<Awaited<ReturnType<typeof makeNamespace>>['listener']>) {
  let connections = 0;
  const listener = await listening;
  const server = createServer();
  server.on('connect', (_request, socket) => socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n'));
  listener.on('connection', (socket) => {
    connections += 1;
    server.emit('connection', socket);
  });
  const { port } = listener.address() as { port: number };
  return {
    port,
    asked: () => connections,
    [Symbol.asyncDispose]: async () => void listener.close(),
  };
}
