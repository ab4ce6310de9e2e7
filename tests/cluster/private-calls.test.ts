import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { ClusterTls } from '@turnpike/cluster/cluster-settings';
import { Membership } from '@turnpike/cluster/membership';
import { PrivateClient } from '@turnpike/cluster/private-client';
import { type PrivateCall, PrivateServer } from '@turnpike/cluster/private-server';
import { ClusterProxyResolver, isProxyQuestion } from '@turnpike/cluster/proxy-calls';
import { signatureHeaders, signRequest } from '@turnpike/cluster/signature';
import { maxSessionPackageBytes } from '@turnpike/contract/extension';
import { maxArchiveBytes } from '@turnpike/contract/host';
import { newRequest } from '@turnpike/host/testing/test-host';
import { createLogger } from '@turnpike/process/logger';
import { steadyNow } from '@turnpike/process/steady-clock';
import { describe, expect, test } from 'vitest';
import { RemoteHost } from '../../apps/gateway/src/hosts/remote-host.ts';
import { createPrivateSide } from '../../apps/host/src/cluster/private-side.ts';
import { StandInHost } from '../fixtures/hosts/stand-in-host.ts';
import { type Certificates, issueCertificate, makeCertificates } from '../fixtures/network/certificates.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

const secret = 'a secret of both sides, long enough';
const never = new AbortController().signal;

interface Side extends AsyncDisposable {
  url: string;
  logs: string[];
}

async function serve(
  answer: (call: PrivateCall) => Promise<unknown>,
  { tls, secret: own = secret, ...limits }: { tls?: ClusterTls; secret?: string; maxBodyBytes?: number } = {},
): Promise<Side> {
  const logs: string[] = [];
  const server = new PrivateServer({
    ...limits,
    secret: own,
    tls,
    logger: createLogger('info', { write: (line) => void logs.push(line) }),
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
    secret,
    tls: undefined,
    logger: createLogger('silent'),
    answer: async () => ({ status: 200, body: '"again"' }),
  });
  await again.listen(Number(port), '127.0.0.1');
  expect(await caller.call(side, {})).toBe('again');
  await again.close(0);
});

test('the largest saved profile, cache and extensions go to a host, clients are paused there, and a host without the call says so', {
  tags: 'slow',
}, async () => {
  const archive = Buffer.alloc(maxArchiveBytes, 7).toString('base64');
  const host = new StandInHost('far');
  host.onSave = async () => ({ archive });
  const membership = new Membership({
    host,
    privateUrl: null,
    logger: createLogger('silent'),
    send: async () => ({ outcome: 'accepted', acknowledged: [], end: [], draining: false }),
  });
  await membership.beat();
  // It takes sessions for ten seconds after a heartbeat, and a busy machine needs longer for the archives.
  membership.start();
  const logger = createLogger('silent');
  const server = createPrivateSide({ host, membership: () => membership, logger, secret, tls: undefined });
  await server.listen(0, '127.0.0.1');
  await using older = await serve(async () => {
    throw new Error('no such call');
  });
  const caller = new PrivateClient({ secret, tls: undefined });
  const remote = (privateUrl: string) =>
    new RemoteHost({
      name: 'far',
      boot: membership.boot,
      publicUrl: 'wss://host.example',
      privateUrl,
      client: caller,
    });
  try {
    const { sessionId, ...request } = newRequest({
      scheme: 'http',
      host: '198.51.100.7',
      port: 3128,
      addresses: [],
    });
    const far = remote(`http://127.0.0.1:${server.port}`);
    const profile = { archive, maxBytes: maxArchiveBytes };
    const file = { path: 'a', bytes: maxSessionPackageBytes, isDeflated: false, content: archive };
    const extensions = [{ id: 'a'.repeat(32), name: 'Example', files: [file] }];
    // All of them at once, each as large as it may be.
    await far.open({ ...request, sessionId, profile, cache: profile, extensions }, never);
    expect(host.requests[0]?.profile).toEqual(profile);
    expect(host.requests[0]?.extensions).toEqual(extensions);
    expect(await far.save(sessionId)).toEqual({ archive });
    expect(await far.save('br_000000000000000000000000')).toBeUndefined();
    const ada = { id: 'a1', name: 'ada@example.com' };
    expect(await far.pauseClients(sessionId, ada)).toMatchObject({ connected: 1, pause: { holder: ada } });
    expect(await far.pauseClients(sessionId, { ...ada, id: 'a2' })).toMatchObject({ pause: { holder: ada } });
    expect(await far.renewPause(sessionId, 'a1')).toHaveProperty('pause');
    expect(await far.resumeClients(sessionId, 'a1')).toEqual({ connected: 1 });
    expect(await far.clients('br_000000000000000000000000')).toBeUndefined();
    const page = {
      parameters: { url: 'https://a.test/' },
      formats: ['content' as const],
      raw: true,
      timeoutMs: 1000,
      validators: { etag: '"a"' },
    };
    expect(await far.callPage(sessionId, page, never)).toMatchObject({ body: Buffer.from('a page') });
    expect(host.pageCalls).toEqual([{ ...page, sessionId }]);
    const script = {
      kind: 'function' as const,
      code: 'export default () => 1',
      context: {},
      viewport: {},
      timeoutMs: 1000,
    };
    const answer = await far.runScript(sessionId, script, never);
    expect(answer).toMatchObject({ type: 'text/plain; charset=UTF-8', body: Buffer.from('a result') });
    expect(host.scriptCalls).toEqual([script]);
    expect(await far.runScript('br_000000000000000000000000', script, never)).toBeUndefined();
    for (const wrong of [
      { kind: 'shell' },
      { timeoutMs: '1' },
      { code: 7 },
      { code: 'x'.repeat(2 ** 20 + 1) },
    ])
      await expect(far.runScript(sessionId, { ...script, ...wrong } as never, never)).rejects.toThrow(
        /script/,
      );
    await expect(remote(older.url).runScript(sessionId, script, never)).rejects.toThrow();
    const malformed = { ...request, sessionId, params: { ...request.params, os: 'plan9' } } as never;
    await expect(far.open(malformed, never)).rejects.toThrow('The call is malformed: /params/os');
    expect(await remote(older.url).save(sessionId)).toEqual({ notSaved: 'its host cannot save it' });
  } finally {
    caller.close();
    await server.close(0);
    await membership[Symbol.asyncDispose]();
  }
});

describe('a private port', () => {
  /** Sends the head of a call and what is given of its body; the connection stays open. */
  function send(side: Side, headers: Record<string, string>, body: Buffer, length = body.length) {
    const { hostname: host, port } = new URL(side.url);
    const socket = connect({ host, port: Number(port) });
    const lines = Object.entries({ ...headers, 'content-length': `${length}` }).map((pair) =>
      pair.join(': '),
    );
    socket.write(`POST /a/b HTTP/1.1\r\nhost: x\r\n${lines.join('\r\n')}\r\n\r\n`);
    socket.write(body);
    const status = new Promise<string>((resolve) => {
      socket.once('data', (data) => resolve(data.toString().slice(9, 12)));
      socket.once('error', () => resolve('reset'));
      socket.once('close', () => resolve('closed'));
    });
    return { socket, status, [Symbol.dispose]: () => socket.destroy() };
  }
  const signed = (body: Buffer, by = secret) =>
    signRequest(by, { method: 'POST', path: '/a/b', body }, steadyNow());
  /** As the version before signed it: the digest is not announced. */
  const signedBefore = (body: Buffer, by = secret) => {
    const { [signatureHeaders.digest]: _, ...headers } = signed(body, by);
    return headers;
  };

  test("refuses a stranger's call by its head, without a byte of its body", async () => {
    await using side = await serve(async () => ({}));
    const strange = 'another secret that is long enough';
    for (const headers of [signed(Buffer.from('x'), strange), {}]) {
      using call = send(side, headers, Buffer.alloc(0), 3 * 2 ** 20);
      expect(await call.status).toBe('401');
      await new Promise((resolve) => call.socket.once('close', resolve));
    }
  });

  test('does not act on a body that is not the announced one', async () => {
    let acted = 0;
    await using side = await serve(async () => {
      acted += 1;
      return {};
    });
    using call = send(side, signed(Buffer.from('{}')), Buffer.from('[]'));
    expect(await call.status).toBe('401');
    expect(acted).toBe(0);
    using right = send(side, signed(Buffer.from('{}')), Buffer.from('{}'));
    expect(await right.status).toBe('200');
    expect(acted).toBe(1);
  });

  test('takes calls of the version before, which it has to read first, within 8 MiB for all of them', async () => {
    await using side = await serve(async () => ({}), { maxBodyBytes: 86 * 2 ** 20 });
    const usual = Buffer.from('{"seats":1}');
    {
      using call = send(side, signedBefore(usual), usual);
      expect(await call.status).toBe('200');
      const part = Buffer.alloc(5 * 2 ** 20);
      using first = send(side, signedBefore(part, 'x'.repeat(32)), part, 6 * 2 ** 20);
      using second = send(side, signedBefore(part, 'x'.repeat(32)), part, 6 * 2 ** 20);
      // One of them is cut off; the other still sends.
      expect(await Promise.race([first.status, second.status])).toBeOneOf(['413', 'reset', 'closed']);
    }
    const large = Buffer.alloc(6 * 2 ** 20);
    const statusNow = async () => {
      using call = send(side, signedBefore(large), large);
      return await call.status;
    };
    await expect.poll(statusNow).toBe('200');
  });

  test('has room for its cluster, however many strangers connect', async () => {
    await using side = await serve(async () => ({ ok: true }));
    using caller = client();
    expect(await caller.call(side, {})).toEqual({ ok: true });
    const { hostname: host, port } = new URL(side.url);
    const open = new Set<Socket>();
    const strangers = Array.from({ length: 400 }, () => {
      const socket = connect({ host, port: Number(port) });
      open.add(socket);
      socket.on('error', () => {}).on('close', () => open.delete(socket));
      return socket;
    });
    await expect.poll(() => open.size).toBeLessThanOrEqual(256);
    expect(await caller.call(side, {})).toEqual({ ok: true });
    using another = client();
    expect(await another.call(side, {})).toEqual({ ok: true });
    for (const socket of strangers) socket.destroy();
  });
});

test('a host asks another gateway about a proxy when one is down, and takes no answer that is none', async () => {
  const proxy = { scheme: 'http', host: 'proxy.test', port: 80, addresses: ['198.51.100.7'] };
  const asked: unknown[] = [];
  let answers: unknown[] = [
    { ok: true, proxy },
    { ok: false, refusal: 'Not this one.' },
    { ok: true, proxy: {} },
  ];
  await using up = await serve(async ({ path, body }) => {
    asked.push(path, isProxyQuestion(JSON.parse(body.toString())));
    const [next, ...rest] = answers;
    answers = rest;
    return next;
  });
  const down = await serve(async () => undefined);
  await down[Symbol.asyncDispose]();
  const gatewayUrls = [down.url, up.url];
  using resolver = new ClusterProxyResolver({ secret, tls: undefined, gatewayUrls });
  const ask = () => resolver.resolveProxy({ sessionId: `br_${'a'.repeat(24)}`, proxy: 'name:shop' }, never);
  expect(await ask()).toEqual({ ok: true, proxy });
  expect(await ask()).toEqual({ ok: false, refusal: 'Not this one.' });
  await expect(ask()).rejects.toThrow('No gateway could be asked');
  expect(asked).toEqual(Array.from({ length: 3 }, () => ['/internal/proxies/resolve', true]).flat());
});
