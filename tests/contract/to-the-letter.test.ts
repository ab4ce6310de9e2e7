import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Answer,
  call,
  someProxy,
  startGatewayOn,
  type TestGateway,
} from '../fixtures/gateway/gateway.ts';
import { WebhookReceiver } from '../fixtures/receivers/webhook-receiver.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../fixtures/suite/matrix.ts';

/** Where the contract and a strict client meet: odd ids, methods and headers, and clients of the family. */
watchLeaks();

const json = 'application/json; charset=utf-8';
const idOf = (answer: Answer): string => answer.headers.get('x-session-id') ?? '';

describeEach(quickOn('postgres'))('the contract to the letter, on %s:', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGatewayOn(engine, {
      proxyAllow: '127.0.0.0/8,198.51.100.0/24',
      webhookAllow: '127.0.0.0/8',
    });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  /** By a socket, for what `fetch` would not send. */
  const dial = async (sent: string, { halfClose = false } = {}): Promise<Socket> => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: halfClose });
    await once(socket, 'connect');
    if (halfClose) socket.end(sent);
    else socket.write(sent);
    return socket;
  };
  const send = (method: string, path: string, headers: Record<string, string> = {}, version = '1.1') =>
    `${method} ${path} HTTP/${version}\r\n${Object.entries({
      host: 'gateway',
      connection: 'close',
      ...headers,
    })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`;

  describe('an odd id', () => {
    const ids = ['x'.repeat(201), 'x'.repeat(5000), '%zz', '%', '%E0%A4%A', '%00', 'br_%zz'];
    test.each(ids)('is 401 without a key, then 404 in the words of the contract (%#)', async (id) => {
      const account = await gateway.account();
      const path = `/api/browser/${id}/status`;
      expect(await call(gateway.url + path)).toMatchObject({
        status: 401,
        json: { error: 'Missing API key' },
      });
      expect(await account.get(path)).toMatchObject({ status: 404, json: { error: 'Session not found' } });
      const files = await account.get(`/api/browser/${id}/files`);
      expect(files).toMatchObject({ status: 404, json: { error: 'Session not found' } });
    });
  });

  test('a path of the statistics that is odd has the envelope, behind the token', async () => {
    const account = await gateway.account();
    const paths = ['/%zz/summary', `/${'x'.repeat(300)}/summary`, '', '/', '//', '/residential', '/x/y/z'];
    const authorization = `Bearer ${account.statsToken}`;
    const failure = (error: string) => ({ status: 'FAIL', date: expect.any(String), error });
    for (const path of paths) {
      const url = `${gateway.url}/api/users/stats${path}`;
      for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
        expect(await call(url, { method })).toMatchObject({
          status: 401,
          json: failure('Missing statistics token'),
        });
      }
      const answer = await call(url, { headers: { authorization } });
      expect([path, answer.status, answer.json.status]).toEqual([path, 404, 'FAIL']);
    }
    for (const method of ['POST', 'OPTIONS', 'PUT']) {
      const url = `${gateway.url}/api/users/stats/residential/summary`;
      expect((await call(url, { method })).json).toEqual(failure('Missing statistics token'));
      const answer = await call(url, { method, headers: { authorization } });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      expect(answer.json).toEqual(failure('Method not allowed. The Allow header names those that are.'));
    }
  });

  test('a malformed create is 400 also while another one of the account waits for a seat', async () => {
    const account = await gateway.account();
    const waiting = async () =>
      (await gateway.running.gateway.db.selectFrom('waiting').selectAll().execute()).map(
        ({ phase }) => phase,
      );
    gateway.host.places = 0;
    const first = account.create({ wait: 30 });
    try {
      await expect.poll(waiting).toEqual(['seat']);
      expect((await account.connect({ os: 'beos' })).status).toBe(400);
      expect((await account.create({ os: 'beos' })).status).toBe(400);
      expect((await account.create({ proxy: '' })).json.code).toBe('PROXY_REQUIRED');
      expect((await account.create()).status).toBe(503);
    } finally {
      gateway.host.places = 1000;
    }
    expect((await first).status).toBe(200);
  });

  test('one bound of the version is taken alone, on either side of the running one', async () => {
    const account = await gateway.account();
    for (const params of [{ browser_version_min: '400' }, { browser_version_max: '90' }]) {
      expect((await account.connect(params)).status).toBe(200);
      expect(gateway.host.requests.at(-1)?.params).toMatchObject(
        'browser_version_min' in params ? { browserVersionMin: 400 } : { browserVersionMax: 90 },
      );
    }
  });

  test('a wrong header with a right token is 401: the header counts', async () => {
    const account = await gateway.account();
    const query = new URLSearchParams({ token: account.key, proxy: someProxy });
    const url = `${gateway.url}/connect?${query}`;
    const answer = await call(url, { headers: { 'x-api-key': `tp_live_${'0'.repeat(64)}` } });
    expect(answer).toMatchObject({ status: 401, json: { error: 'Invalid API key' } });
    expect((await call(url)).status).toBe(200);
  });

  test('HEAD answers as GET does, without the body', async () => {
    const account = await gateway.account();
    const id = idOf(await account.connect());
    const paths = ['/health', '/user/api/limits', '/api/browsers', `/api/browser/${id}/status`];
    for (const path of paths) {
      const headers = { 'x-api-key': account.key };
      const [head, get] = [
        await call(gateway.url + path, { method: 'HEAD', headers }),
        await call(gateway.url + path, { headers }),
      ];
      expect([path, head.status, head.text]).toEqual([path, 200, '']);
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
      // Health counts seconds.
      if (path !== '/health') expect(head.headers.get('content-length')).toBe(String(get.text.length));
    }
    expect((await call(`${gateway.url}/api/browsers`, { method: 'HEAD' })).status).toBe(401);
    const stats = await call(`${gateway.url}/api/users/stats/residential/summary`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${account.statsToken}` },
    });
    expect([stats.status, stats.text]).toEqual([200, '']);
  });

  test.each([
    ['HEAD', '/connect', 'GET'],
    ['POST', '/connect', 'GET'],
    ['GET', '/api/browser/create', 'POST'],
    ['OPTIONS', '/api/browser/close', 'POST'],
    ['GET', '/api/browser/status/bulk', 'POST'],
    ['DELETE', '/api/browsers', 'GET, HEAD'],
    ['PUT', '/api/browser/br_none/status', 'GET, HEAD'],
    ['POST', '/user/api/events', 'GET, HEAD'],
    ['PATCH', '/user/api/webhooks', 'GET, HEAD, POST'],
  ])('%s %s is 405, and Allow has %s; 401 comes first, and no browser opens', async (method, path, allow) => {
    const account = await gateway.account();
    const opened = gateway.host.requests.length;
    const url = `${gateway.url}${path}?${new URLSearchParams({ proxy: someProxy })}`;
    expect((await call(url, { method })).status).toBe(401);
    const answer = await call(url, { method, headers: { 'x-api-key': account.key } });
    expect([answer.status, answer.headers.get('allow'), answer.headers.get('content-type')]).toEqual([
      405,
      allow,
      json,
    ]);
    if (method !== 'HEAD') {
      expect(answer.json).toEqual({
        code: 'METHOD_NOT_ALLOWED',
        error: 'Method not allowed. The Allow header names those that are.',
      });
    }
    expect(gateway.host.requests.length).toBe(opened);
  });

  test('POST /health is 405 without a key, which it does not need', async () => {
    const answer = await call(`${gateway.url}/health`, { method: 'POST' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('headers that are too large are 431, and what is no HTTP is 400, as JSON', async () => {
    const large = await readText(await dial(send('GET', '/health', { 'x-large': 'x'.repeat(300_000) })));
    expect(large).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
    expect(large.split('\r\n\r\n')[1]).toBe(
      '{"code":"HEADERS_TOO_LARGE","error":"The request headers are too large. Send at most 64 KiB, the URL included."}',
    );
    const garbage = await readText(await dial('this is no HTTP\r\n\r\n'));
    expect(garbage).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(garbage.split('\r\n\r\n')[1]).toBe('{"code":"BAD_REQUEST","error":"Bad request"}');
  });

  test('a client that closes its side after the request gets its answer, of a slow create too', async () => {
    const account = await gateway.account();
    const quick = await dial(send('GET', '/health'), { halfClose: true });
    expect(await readText(quick)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);

    const release = Promise.withResolvers<void>();
    const opening = Promise.withResolvers<void>();
    gateway.host.onOpen = async () => {
      opening.resolve();
      await release.promise;
    };
    const query = new URLSearchParams({ proxy: someProxy });
    const slow = await dial(send('GET', `/connect?${query}`, { 'x-api-key': account.key }), {
      halfClose: true,
    });
    await opening.promise;
    gateway.host.onOpen = async () => {};
    // It is asked whether it still listens, and is.
    const [interim] = await once(slow, 'data');
    expect(String(interim)).toMatch(/^HTTP\/1\.1 100 Continue\r\n/);
    release.resolve();
    expect(await readText(slow)).toMatch(/HTTP\/1\.1 200 OK\r\n[\s\S]*\/cdp\/br_[0-9a-f]{40}$/);
    expect((await account.get('/api/browsers')).json).toHaveLength(1);
  });

  test.each(['1.1', '1.0'])(
    'a client that closes altogether in a create leaves none, by HTTP/%s',
    async (version) => {
      const account = await gateway.account();
      const opening = Promise.withResolvers<AbortSignal>();
      gateway.host.onOpen = async (_request, signal) => {
        opening.resolve(signal);
        await once(signal, 'abort');
      };
      const query = new URLSearchParams({ proxy: someProxy });
      const socket = await dial(send('GET', `/connect?${query}`, { 'x-api-key': account.key }, version));
      const signal = await opening.promise;
      gateway.host.onOpen = async () => {};
      socket.destroy();
      await expect.poll(() => signal.aborted).toBe(true);
      await expect
        .poll(async () => (await account.get('/user/api/limits')).json)
        .toMatchObject({ active: 0, remaining: 5 });
    },
  );

  test('wait is judged with the other parameters, before the proxy', async () => {
    const account = await gateway.account();
    const expected = 'Malformed browser params: wait must be from 0 to 60';
    expect((await account.connect({ wait: '61', proxy: '' })).text).toBe(expected);
    expect((await account.create({ wait: 61, proxy: 'nonsense' })).json.error).toBe(expected);
  });

  test('large integers in metadata come back as they were given, everywhere', async () => {
    await using receiver = await WebhookReceiver.start();
    const account = await gateway.account();
    expect((await account.post('/user/api/webhooks', { url: receiver.url })).status).toBe(200);
    const metadata = '{"order":12345678901234567890,"deep":{"list":[9007199254740993,1.0,1e400]},"n":7}';
    const own = metadata.slice(1, -1);
    const created = await account.post(
      '/api/browser/create',
      `{"proxy":"${someProxy}","maxLifetime":600.0,"metadata":${metadata}}`,
    );
    expect(created.text).toContain(own);
    const id = idOf(created);
    const connected = await account.connect({ metadata });
    const nested = await account.post(
      '/api/browser/create',
      `{"browserParams":{"proxy":"${someProxy}","metadata":${metadata}}}`,
    );
    for (const session of [created, connected, nested]) {
      expect((await account.get(`/api/browser/${idOf(session)}/status`)).text).toContain(own);
    }
    expect((await account.post('/api/browser/status/bulk', { browserIds: [id] })).text).toContain(own);
    expect((await account.get('/user/api/sessions')).text.split(own)).toHaveLength(4);
    await expect.poll(() => receiver.received.filter(({ text }) => text.includes(own)).length).toBe(3);

    const leaving = new AbortController();
    const stream = await fetch(`${gateway.url}/user/api/events`, {
      headers: { 'x-api-key': account.key, 'last-event-id': '0' },
      signal: leaving.signal,
    });
    let seen = '';
    for await (const chunk of stream.body ?? []) {
      seen += Buffer.from(chunk).toString();
      if (seen.split(own).length === 4) break;
    }
    leaving.abort();
  });

  test('the same metadata under one Idempotency-Key is the same create, to the last digit', async () => {
    const account = await gateway.account();
    const create = (order: string) =>
      call(`${gateway.url}/api/browser/create`, {
        method: 'POST',
        headers: { 'x-api-key': account.key, 'idempotency-key': 'k' },
        body: `{"proxy":"${someProxy}","metadata":{"order":${order}}}`,
      });
    const first = await create('12345678901234567890');
    expect(idOf(await create('12345678901234567890'))).toBe(idOf(first));
    expect((await create('12345678901234567891')).json.code).toBe('IDEMPOTENCY_MISMATCH');
  });
});

describe('a store that fails after authentication:', () => {
  const broken = async () => {
    const gateway = await startGatewayOn('postgres');
    const { db } = gateway.running.gateway;
    return {
      gateway,
      /** As PostgreSQL answers when it shuts down (57P01), or for a fault of its own. */
      async failOn(event: 'insert' | 'update', code: string) {
        await sql
          .raw(
            `create or replace function fail() returns trigger language plpgsql as
             $$ begin raise exception 'told to' using errcode = '${code}'; end $$`,
          )
          .execute(db);
        await sql
          .raw(`create trigger failing before ${event} on sessions execute function fail()`)
          .execute(db);
      },
      mend: () => sql`drop trigger failing on sessions`.execute(db),
      async [Symbol.asyncDispose]() {
        await gateway[Symbol.asyncDispose]();
      },
    };
  };

  test.each(['57P01', 'XX000'])(
    'a create is 500 or 502 Browser creation failed, at its slot and at its end (%s)',
    async (code) => {
      await using world = await broken();
      const account = await world.gateway.account();
      for (const event of ['insert', 'update'] as const) {
        await world.failOn(event, code);
        const [connected, created] = [await account.connect(), await account.create()];
        await world.mend();
        // The contract has both for it.
        for (const { status } of [connected, created]) expect([500, 502]).toContain(status);
        expect([connected.headers.get('content-type'), connected.text]).toEqual([
          'text/plain; charset=utf-8',
          'Browser creation failed',
        ]);
        expect(created.json).toEqual({ error: 'Browser creation failed' });
      }
      expect((await account.connect()).status).toBe(200);
    },
  );

  test.each(['57P01', 'XX000'])(
    'a close is 500 Close failed, and works when it is repeated (%s)',
    async (code) => {
      await using world = await broken();
      const account = await world.gateway.account();
      const id = idOf(await account.connect());
      await world.failOn('update', code);
      const failed = await account.close(id);
      await world.mend();
      expect([failed.status, failed.json]).toEqual([500, { error: 'Close failed' }]);
      expect((await account.close(id)).status).toBe(200);
    },
  );

  test('a reconnect is 500 Reconnect failed', async () => {
    await using world = await broken();
    const account = await world.gateway.account();
    const id = idOf(await account.connect());
    const { db } = world.gateway.running.gateway;
    await sql`alter table sessions rename to elsewhere`.execute(db);
    const answers = [await account.connect({ sessionId: id }), await account.create({ sessionId: id })];
    await sql`alter table elsewhere rename to sessions`.execute(db);
    expect(answers.map(({ status }) => status)).toEqual([500, 500]);
    expect(answers[0]?.text).toMatch(/^Reconnect failed: /);
    expect(answers[1]?.json.error).toMatch(/^Reconnect failed: /);
  });
});
