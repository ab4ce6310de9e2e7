import { createServer, type IncomingMessage } from 'node:http';
import { inspect } from 'node:util';
import {
  ConcurrencyLimitError,
  ConnectionFailedError,
  RateLimitError,
  SessionNotFoundError,
  Turnpike,
  writeJson,
} from 'turnpike-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGatewayOn, type TestGateway } from '../fixtures/gateway/gateway.ts';
import { closeServer, listen } from '../fixtures/network/listen.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks({ wholeFile: true });

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGatewayOn('sqlite');
});
afterAll(() => gateway[Symbol.asyncDispose]());

async function newClient(options: { timeoutMs?: number; retries?: number } = {}) {
  const account = await gateway.account();
  return { account, turnpike: new Turnpike({ endpoint: gateway.url, apiKey: account.key, ...options }) };
}

/** Makes the host take its time until `go`, and tells when a create is there. */
function slowHost() {
  const reached = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  gateway.host.onOpen = async () => {
    reached.resolve();
    await go.promise;
  };
  return {
    reached: reached.promise,
    go: go.resolve,
    [Symbol.dispose]() {
      go.resolve();
      gateway.host.onOpen = async () => {};
    },
  };
}

describe('a create that its caller gives up', () => {
  test.each(['create', 'connectUrl'] as const)(
    '%s rejects with the reason of the signal at once, and the session is closed when it is up',
    async (call) => {
      const { account, turnpike } = await newClient();
      using host = slowHost();
      const before = gateway.host.requests.length;
      const controller = new AbortController();
      const creating = turnpike[call]({ proxy: account.proxy, signal: controller.signal });
      await host.reached;
      controller.abort(new Error('changed my mind'));
      await expect(creating).rejects.toThrow('changed my mind');
      host.go();
      await turnpike.settled();
      expect(await turnpike.getLimits()).toMatchObject({ active: 0, remaining: 5 });
      expect(turnpike.sessionId).toBeUndefined();
      expect(gateway.host.requests.length).toBe(before + 1);
    },
  );

  test('by its timeout is closed, and no second browser is opened on the way', async () => {
    const { account, turnpike } = await newClient();
    using host = slowHost();
    const before = gateway.host.requests.length;
    await expect(turnpike.create({ proxy: account.proxy, timeoutMs: 300 })).rejects.toThrow(
      ConnectionFailedError,
    );
    host.go();
    await turnpike.settled();
    expect(await turnpike.getLimits()).toMatchObject({ active: 0, remaining: 5 });
    expect(gateway.host.requests.length).toBe(before + 1);
  });

  test('before it began is not sent', async () => {
    const { account, turnpike } = await newClient();
    const before = gateway.host.requests.length;
    const signal = AbortSignal.abort(new Error('never mind'));
    await expect(turnpike.create({ proxy: account.proxy, signal })).rejects.toThrow('never mind');
    await expect(turnpike.getMe({ signal })).rejects.toThrow('never mind');
    expect(gateway.host.requests.length).toBe(before);
  });
});

test('sessions are closed by leaving their block, by default, and by id', async () => {
  const { account, turnpike } = await newClient();
  {
    await using session = await turnpike.open({ proxy: account.proxy });
    expect(await turnpike.getSessionCount()).toBe(1);
    expect(session).toMatchObject({ browserId: turnpike.sessionId, status: 'ACTIVE' });
  }
  expect(await turnpike.getSessionCount()).toBe(0);
  await expect(new Turnpike({ endpoint: gateway.url, apiKey: account.key }).close()).rejects.toThrow(
    'no session',
  );
});

test('every call on a session that is not there says so', async () => {
  const { turnpike } = await newClient();
  for (const call of ['status', 'traffic', 'trafficCsv', 'receipt'] as const) {
    await expect(turnpike[call]('br_nothing'), call).rejects.toThrow(SessionNotFoundError);
  }
});

test('the record is read page after page, and the account by its name', async () => {
  const { account, turnpike } = await newClient();
  const ids: string[] = [];
  for (let made = 0; made < 3; made++) {
    const session = await turnpike.create({ proxy: account.proxy, metadata: { made } });
    ids.unshift(session.browserId);
    await turnpike.close();
  }
  const pages = await Array.fromAsync(turnpike.listSessions({ pageSize: 2 }));
  expect(pages.map(({ browserId }) => browserId).sort()).toEqual(ids.sort());
  expect(await Array.fromAsync(turnpike.listSessions({ status: 'ACTIVE' }))).toEqual([]);
  expect(await turnpike.getMe()).toMatchObject({ account: { email: account.email } });
  expect(await turnpike.getHealth()).toMatchObject({ status: 'healthy' });
});

test('an integer past 2^53 in metadata is a bigint, to its last digit, both ways', async () => {
  const { account, turnpike } = await newClient();
  const metadata = { order: 12345678901234567890n, list: [-9007199254740993n], small: 7 };
  const created = await turnpike.create({ proxy: account.proxy, metadata });
  expect(created.metadata).toMatchObject(metadata);
  await turnpike.close();
  await turnpike.connectUrl({ proxy: account.proxy, metadata });
  const connected = turnpike.sessionId ?? '';
  const [first, second, none] = await turnpike.statuses([created.browserId, connected, 'br_none']);
  for (const session of [first, second]) expect(session).toMatchObject({ metadata });
  expect(none).toEqual({ browserId: 'br_none', status: 'NOT_FOUND' });
  for await (const record of turnpike.listSessions()) expect(record.metadata).toMatchObject(metadata);
  const event = await turnpike.events({ lastEventId: 0 }).next();
  expect(event.value.data).toMatchObject({ metadata });
  expect(writeJson(created.metadata)).toContain('"order":12345678901234567890,');
});

test('a new key is the one that the client goes on with', async () => {
  const { account, turnpike } = await newClient();
  const { apiKey } = await turnpike.regenerateKey();
  expect(apiKey).not.toBe(account.key);
  expect(await turnpike.getSessionCount()).toBe(0);
  expect((await account.get('/user/api/me')).status).toBe(401);
});

test('the same idempotency key is the same session, and with other parameters a BrowserCreateError', async () => {
  const { account, turnpike } = await newClient();
  const options = { proxy: account.proxy, idempotencyKey: 'order-7' };
  const first = await turnpike.create(options);
  expect((await turnpike.create(options)).browserId).toBe(first.browserId);
  expect(await turnpike.connectUrl(options)).toBe(first.cdpUrl);
  await expect(turnpike.create({ ...options, os: 'linux' })).rejects.toMatchObject({
    name: 'BrowserCreateError',
    statusCode: 422,
  });
  await turnpike.close();
});

interface Scripted {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** A server that answers what it is told, in this order, and remembers what it was asked. */
async function scriptedServer(...script: Scripted[]) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request.resume());
    const { status, headers = {}, body = {} } = script.shift() ?? { status: 500 };
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  await listen(server);
  const { port } = server.address() as { port: number };
  const url = `http://127.0.0.1:${port}/base/`;
  return {
    asked,
    url,
    turnpike: new Turnpike({ endpoint: url, apiKey: 'tp_live_secret' }),
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}

const full: Scripted = {
  status: 429,
  headers: { 'retry-after': '1' },
  body: { error: 'Concurrent browser limit reached', code: 'CONCURRENCY_LIMIT', limit: 5, active: 5 },
};
const opened: Scripted = {
  status: 200,
  headers: { 'x-session-id': 'br_1' },
  body: { browserId: 'br_1', cdpUrl: 'ws://host/cdp/br_2' },
};

describe('repeats', () => {
  test('wait for retry-after, carry the same Idempotency-Key, and never put the key into a URL', async () => {
    await using server = await scriptedServer(full, full, opened);
    const began = performance.now();
    await server.turnpike.create({ proxy: 'http://proxy.example:1' });
    expect(performance.now() - began).toBeGreaterThan(1990);
    expect(server.asked.map(({ url }) => url)).toEqual(Array(3).fill('/base/api/browser/create'));
    expect(new Set(server.asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    for (const { url, headers } of server.asked) {
      expect(url).not.toContain('tp_live');
      expect(headers['x-api-key']).toBe('tp_live_secret');
    }
    expect(inspect(server.turnpike, { depth: 9 })).not.toContain('tp_live_secret');
  });

  test('are bounded, and off with an option', async () => {
    await using server = await scriptedServer(full, full, full, full);
    const refused = { name: 'ConcurrencyLimitError', limit: 5, active: 5, retryAfter: 1 };
    await expect(server.turnpike.create({ retries: 0 })).rejects.toMatchObject(refused);
    expect(server.asked.length).toBe(1);
    await expect(server.turnpike.create({})).rejects.toThrow(ConcurrencyLimitError);
    expect(server.asked.length).toBe(4);
  });

  test('that would come after the deadline are not waited for', async () => {
    await using server = await scriptedServer({
      ...full,
      headers: { 'retry-after': '60' },
      body: { code: 'RATE_LIMIT' },
    });
    const began = performance.now();
    await expect(server.turnpike.create({ timeoutMs: 30_000 })).rejects.toThrow(RateLimitError);
    expect(performance.now() - began).toBeLessThan(25_000);
  });

  test('of a new key there are none', async () => {
    await using server = await scriptedServer({ status: 503 }, { status: 200, body: { apiKey: 'x' } });
    await expect(server.turnpike.regenerateKey()).rejects.toMatchObject({ statusCode: 503 });
    expect(server.asked.length).toBe(1);
  });
});

test('a redirect is not followed, so that the key goes nowhere else', async () => {
  await using elsewhere = await scriptedServer();
  await using server = await scriptedServer({ status: 302, headers: { location: elsewhere.url } });
  await expect(server.turnpike.getMe()).rejects.toMatchObject({ name: 'TurnpikeError', statusCode: 302 });
  expect(elsewhere.asked).toEqual([]);
});

test('a file is asked for where the gateway says, without the key', async () => {
  await using host = await scriptedServer({ status: 200, body: { files: [] } }, { status: 302 });
  const sentOn = { status: 307, headers: { location: `${host.url}/cdp/x/files` } };
  await using server = await scriptedServer(sentOn, sentOn);
  expect(await server.turnpike.files.list('br_1')).toEqual([]);
  // Nor is the host's own word taken for where else to go.
  await expect(server.turnpike.files.list('br_1')).rejects.toMatchObject({ statusCode: 302 });
  expect(server.asked.map(({ headers }) => headers['x-api-key'])).toEqual([
    'tp_live_secret',
    'tp_live_secret',
  ]);
  expect(JSON.stringify(host.asked.map(({ headers }) => headers))).not.toContain('tp_live');
});

test('what cannot be an endpoint or a key is refused without being repeated', () => {
  for (const endpoint of [
    'gateway.example',
    'ws://gateway.example',
    'http://user:pw@gateway.example',
    'http://g/?a',
  ])
    expect(() => new Turnpike({ endpoint, apiKey: 'key' })).toThrow('endpoint must be');
  expect(() => new Turnpike({ endpoint: 'http://g', apiKey: 'tp_live_ß\n' })).toThrow(
    /^apiKey must be a string of visible ASCII characters$/,
  );
});
