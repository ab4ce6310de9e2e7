import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { maxArchiveBytes } from '@turnpike/contract/host';
import { newRequest } from '@turnpike/host/testing/test-host';
import type { ClusterTls } from '@turnpike/process/cluster/cluster-settings';
import { Membership } from '@turnpike/process/cluster/membership';
import { PrivateClient } from '@turnpike/process/cluster/private-client';
import { type PrivateCall, PrivateServer } from '@turnpike/process/cluster/private-server';
import { createLogger } from '@turnpike/process/logger';
import { expect, test } from 'vitest';
import { RemoteHost } from '../../apps/gateway/src/hosts/remote-host.ts';
import { createPrivateSide } from '../../apps/host/src/cluster/private-side.ts';
import { type Certificates, issueCertificate, makeCertificates } from '../fixtures/certificates.ts';
import { watchLeaks } from '../fixtures/leaks.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { StandInHost } from '../fixtures/stand-in-host.ts';

watchLeaks();

const secret = 'a secret of both sides, long enough';
const never = new AbortController().signal;

interface Side extends AsyncDisposable {
  url: string;
  logs: string[];
}

async function serve(
  answer: (call: PrivateCall) => Promise<unknown>,
  { tls, secret: own = secret }: { tls?: ClusterTls; secret?: string } = {},
): Promise<Side> {
  const logs: string[] = [];
  const server = new PrivateServer({
    ...{ secret: own, tls, logger: createLogger('info', { write: (line) => void logs.push(line) }) },
    answer: async (call) => ({ status: 200, body: JSON.stringify(await answer(call)) }),
  });
  await server.listen(0, '127.0.0.1');
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${server.port}`,
    logs,
    [Symbol.asyncDispose]: () => server.close(0),
  };
}

function client(settings: { tls?: ClusterTls; secret?: string } = {}) {
  const made = new PrivateClient({ secret, tls: undefined, ...settings });
  return {
    call: (side: { url: string }, what: unknown, signal = never) => made.call(side.url, 'a/b', what, signal),
    [Symbol.dispose]: () => made.close(),
  };
}

async function tlsOf({ caFile, certFile, keyFile }: Certificates): Promise<ClusterTls> {
  const [ca, cert, key] = await Promise.all([caFile, certFile, keyFile].map((file) => readFile(file)));
  return { ca, cert, key } as ClusterTls;
}

test('a call and its answer go through', async () => {
  const seen: PrivateCall[] = [];
  await using side = await serve(async (call) => {
    seen.push(call);
    return { heard: JSON.parse(call.body.toString()) };
  });
  using caller = client();
  expect(await caller.call(side, { x: 1 })).toEqual({ heard: { x: 1 } });
  expect(seen[0]?.path).toBe('/a/b');
});

test('neither side takes the other without the secret', async () => {
  await using side = await serve(async () => ({}));
  using stranger = client({ secret: 'another secret that is long enough' });
  await expect(stranger.call(side, {})).rejects.toThrow("not signed with the cluster's secret");
  expect(side.logs.join('')).toContain('signed with another secret');

  const impostor = createServer((_request, response) => response.end('{"ok":true}')).listen(0, '127.0.0.1');
  await once(impostor, 'listening');
  using caller = client();
  const url = `http://127.0.0.1:${(impostor.address() as AddressInfo).port}`;
  await expect(caller.call({ url }, {})).rejects.toThrow("not signed with the cluster's secret");
  impostor.close();
  impostor.closeAllConnections();
});

test('with certificates both sides show theirs, and nobody else gets in', async () => {
  await using directory = await scratchDirectory('tls');
  const own = await tlsOf(await makeCertificates(directory.path));
  await using strange = await scratchDirectory('tls');
  const other = await tlsOf(await makeCertificates(strange.path));
  await using side = await serve(async () => ({ ok: true }), { tls: own });
  using caller = client({ tls: own });
  expect(await caller.call(side, {})).toEqual({ ok: true });

  using foreign = client({ tls: { ...other, ca: own.ca } });
  await expect(foreign.call(side, {})).rejects.toThrow('if it refuses our certificate, its log says so');
  using distrustful = client({ tls: { ...own, ca: other.ca } });
  await expect(distrustful.call(side, {})).rejects.toThrow('is not of the authority');
  using plain = client();
  await expect(plain.call({ url: side.url.replace('https', 'http') }, {})).rejects.toThrow(
    'if it speaks TLS, call it by https://',
  );
  await expect(caller.call({ url: side.url.replace('https', 'http') }, {})).rejects.toThrow(
    'is not called: with certificates it must be https://',
  );
  const named = await issueCertificate(directory.path, 'named', ['subjectAltName=DNS:other.example']);
  await using elsewhere = await serve(async () => ({}), { tls: await tlsOf(named) });
  await expect(caller.call(elsewhere, {})).rejects.toThrow('its certificate is for another name');
  await using inTheClear = await serve(async () => ({}));
  await expect(caller.call({ url: inTheClear.url.replace('http', 'https') }, {})).rejects.toThrow(
    'it does not speak TLS',
  );
});

test('a caller that hangs up is noticed, and a kept connection that was closed is made anew', async () => {
  const hungUp = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const side = await serve(async ({ body, signal }) => {
    if (body.toString() !== '"wait"') return {};
    signal.addEventListener('abort', () => hungUp.resolve());
    arrived.resolve();
    await hungUp.promise;
    return {};
  });
  using caller = client();
  const cancel = new AbortController();
  const call = caller.call(side, 'wait', cancel.signal);
  call.catch(() => {});
  await arrived.promise;
  cancel.abort();
  await expect(call).rejects.toThrow('cannot be reached');
  await hungUp.promise;
  expect(await caller.call(side, {})).toEqual({});
  const port = new URL(side.url).port;
  await side[Symbol.asyncDispose]();
  const again = new PrivateServer({
    ...{ secret, tls: undefined, logger: createLogger('silent') },
    answer: async () => ({ status: 200, body: '"again"' }),
  });
  await again.listen(Number(port), '127.0.0.1');
  expect(await caller.call(side, {})).toBe('again');
  await again.close(0);
});

test('the largest saved profile goes to a host and back, clients are paused there, and a host without the call says so', async () => {
  const archive = Buffer.alloc(maxArchiveBytes, 7).toString('base64');
  const host = new StandInHost('far');
  host.onSave = async () => ({ archive });
  const membership = new Membership({
    ...{ host, privateUrl: null, logger: createLogger('silent') },
    send: async () => ({ outcome: 'accepted', acknowledged: [], end: [], draining: false }),
  });
  await membership.beat();
  const logger = createLogger('silent');
  const server = createPrivateSide({ host, membership: () => membership, logger, secret, tls: undefined });
  await server.listen(0, '127.0.0.1');
  await using older = await serve(async () => {
    throw new Error('no such call');
  });
  const caller = new PrivateClient({ secret, tls: undefined });
  const remote = (privateUrl: string) =>
    new RemoteHost({
      ...{ name: 'far', boot: membership.boot, publicUrl: 'wss://host.example', privateUrl },
      client: caller,
    });
  try {
    const { sessionId, ...request } = newRequest({
      ...{ scheme: 'http', host: '198.51.100.7', port: 3128, addresses: [] },
    });
    const far = remote(`http://127.0.0.1:${server.port}`);
    await far.open({ ...request, sessionId, profile: { archive, maxBytes: maxArchiveBytes } }, never);
    expect(host.requests[0]?.profile).toEqual({ archive, maxBytes: maxArchiveBytes });
    expect(await far.save(sessionId)).toEqual({ archive });
    expect(await far.save('br_000000000000000000000000')).toBeUndefined();
    const ada = { id: 'a1', name: 'ada@example.com' };
    expect(await far.pauseClients(sessionId, ada)).toMatchObject({ connected: 1, pause: { holder: ada } });
    expect(await far.pauseClients(sessionId, { ...ada, id: 'a2' })).toMatchObject({ pause: { holder: ada } });
    expect(await far.renewPause(sessionId, 'a1')).toHaveProperty('pause');
    expect(await far.resumeClients(sessionId, 'a1')).toEqual({ connected: 1 });
    expect(await far.clients('br_000000000000000000000000')).toBeUndefined();
    const malformed = { ...request, sessionId, params: { ...request.params, os: 'plan9' } } as never;
    await expect(far.open(malformed, never)).rejects.toThrow('The call is malformed: /params/os');
    expect(await remote(older.url).save(sessionId)).toEqual({ notSaved: 'its host cannot save it' });
  } finally {
    caller.close();
    await server.close(0);
    await membership[Symbol.asyncDispose]();
  }
});
