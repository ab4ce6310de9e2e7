import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LimitChange } from '../../apps/gateway/src/accounts/manage-account.ts';
import {
  billedFor,
  call,
  closeSessions,
  engines,
  startTestGateway,
  type TestAccount,
  type TestGateway,
  type TestStore,
  testStore,
} from '../fixtures/gateway/gateway.ts';
import { startBadProxies } from '../fixtures/network/bad-proxies.ts';
import { type SharedService, sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

/**
 * The service description's tables of interface A, row by row, against the running service with real
 * browsers. What a real host cannot be made to do on demand runs on a gateway with a stand-in host and a
 * clock that can be moved.
 */
watchLeaks();

const isoTimestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const sessionId = /^br_[0-9a-f]{24}$/;
const json = 'application/json; charset=utf-8';
const text = 'text/plain; charset=utf-8';

let service: SharedService;
let store: TestStore;
let standIn: TestGateway;

beforeAll(async () => {
  service = await sharedService();
  store = await testStore('sqlite');
  standIn = await startTestGateway(store.location);
});

afterAll(async () => {
  await standIn[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

/** An account of its own, whose sessions are closed after the work. */
async function withAccount<T>(work: (account: TestAccount) => Promise<T>, limits?: LimitChange): Promise<T> {
  const account = await service.account(limits);
  try {
    return await work(account);
  } finally {
    await closeSessions(account);
  }
}

const idOf = (answer: { headers: Headers }): string => answer.headers.get('x-session-id') ?? '';
const cdpIdOf = (cdpUrl: string): string => cdpUrl.split('/').at(-1) ?? '';

describe('Resources: session object', () => {
  let account: TestAccount;
  let created: Record<string, any>;
  let viaStatus: Record<string, any>;
  const askedAt = Date.now();

  beforeAll(async () => {
    account = await service.account();
    const answer = await account.create({
      headless: true,
      maxLifetime: 600,
      metadata: { job: 'j-1', turnpike: 'mine' },
    });
    expect(answer.status).toBe(200);
    created = answer.json;
    viaStatus = (await account.get(`/api/browser/${created['browserId']}/status`)).json;
  });
  afterAll(async () => {
    await account.close(created['browserId']);
  });

  test('browserId: the session id', () => expect(created['browserId']).toMatch(sessionId));
  test('cdpUrl: public form, ending in the CDP id', () =>
    expect(created['cdpUrl']).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/cdp\/br_[0-9a-f]{40}$/));
  test('vncUrl: only with a viewer', () => expect(created).not.toHaveProperty('vncUrl'));
  test('status', () => expect(created['status']).toBe('ACTIVE'));
  test('createdAt: ISO 8601 UTC with milliseconds', () => {
    expect(created['createdAt']).toMatch(isoTimestamp);
    expect(Date.parse(created['createdAt'])).toBeGreaterThanOrEqual(askedAt);
  });
  test('expiresAt: when the lifetime runs out', () =>
    expect(Date.parse(created['expiresAt']) - Date.parse(created['createdAt'])).toBe(600_000));
  test('browserParams: os, proxy with its password masked, headless', () => {
    const proxy = account.proxy.replace(account.proxyPassword, '***');
    expect(created['browserParams']).toMatchObject({ os: 'windows', proxy, headless: true });
    expect(JSON.stringify(created)).not.toContain(account.proxyPassword);
  });
  test("metadata: the caller's keys, and the gateway's own under `turnpike`", () => {
    expect(created['metadata']).toEqual({
      job: 'j-1',
      turnpike: { host: expect.any(String), chromiumVersion: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/) },
    });
  });
  test("a create answers what status answers, and the family's two names beside it", () =>
    expect(created).toEqual({
      ...viaStatus,
      sessionId: created['browserId'],
      wsEndpoint: created['cdpUrl'],
    }));
  test('list items carry browserId, cdpUrl, status, createdAt, expiresAt, in a bare array', async () => {
    const { browserId, cdpUrl, status, createdAt, expiresAt } = created;
    expect((await account.get('/api/browsers')).json).toEqual([
      { browserId, cdpUrl, status, createdAt, expiresAt },
    ]);
  });
  test('two ids: status and close accept either, reconnect only the session id', async () => {
    const cdpId = cdpIdOf(created['cdpUrl']);
    expect((await account.get(`/api/browser/${cdpId}/status`)).json).toEqual(viaStatus);
    const reconnected = await account.connect({ sessionId: cdpId });
    expect([reconnected.status, reconnected.text]).toEqual([404, 'Session not found']);
    expect(created['browserId'].slice(3)).not.toBe(cdpId.slice(3, 27));
  });
});

describe('Resources: other records', () => {
  test('concurrency record', () =>
    withAccount(async (account) => {
      expect((await account.get('/user/api/limits')).json).toEqual({
        limit: 5,
        active: 0,
        remaining: 5,
        unlimited: false,
      });
      await account.connect({ headless: 'true' });
      expect((await account.get('/user/api/limits')).json).toEqual({
        limit: 5,
        active: 1,
        remaining: 4,
        unlimited: false,
      });
    }));
  test('concurrency record of an unlimited account', () =>
    withAccount(
      async (account) => {
        const unlimited = { limit: 2147483647, active: 0, remaining: 2147483647, unlimited: true };
        expect((await account.get('/user/api/limits')).json).toEqual(unlimited);
      },
      { concurrent_limit: null },
    ));
  test('close result', () =>
    withAccount(async (account) => {
      const id = idOf(await account.connect({ headless: 'true' }));
      expect((await account.close(id)).json).toEqual({ browserId: id, status: 'CLOSED' });
    }));
  test('health: no key needed', async () => {
    const health = await call(`${service.gatewayUrl}/health`);
    expect(health.status).toBe(200);
    expect(health.json).toEqual({ status: 'healthy', uptime: expect.any(Number) });
  });
});

describe('States and transitions', () => {
  test('(none) → ACTIVE by /connect: slot taken, session readable', () =>
    withAccount(async (account) => {
      const id = idOf(await account.connect({ headless: 'true' }));
      expect((await account.get(`/api/browser/${id}/status`)).json.status).toBe('ACTIVE');
      expect((await account.get('/user/api/limits')).json.remaining).toBe(4);
    }));
  test('(none) → ACTIVE by POST /api/browser/create', () =>
    withAccount(async (account) =>
      expect((await account.create({ headless: true })).json.status).toBe('ACTIVE'),
    ));
  test('ACTIVE → CLOSED by close: slot freed at once, duration billed', () =>
    withAccount(async (account) => {
      const id = idOf(await account.connect({ headless: 'true' }));
      expect((await account.close(id)).json.status).toBe('CLOSED');
      expect((await account.get('/user/api/limits')).json.remaining).toBe(5);
      const [{ durationSeconds }] = (await account.get('/user/api/sessions')).json.sessions;
      expect((await account.get('/user/api/me')).json.usage).toMatchObject({
        browserSeconds: billedFor(durationSeconds),
        sessions: 1,
      });
    }));
  test('ACTIVE → CLOSED by close when the backend has already lost the browser', async () => {
    const account = await standIn.account();
    const id = idOf(await account.connect());
    standIn.host.lose(id);
    expect(await account.close(id)).toMatchObject({ status: 200, json: { status: 'CLOSED' } });
  });
  test('ACTIVE stays ACTIVE when the backend refuses the close (502)', async () => {
    const account = await standIn.account();
    const id = idOf(await account.connect());
    standIn.host.onClose = async () => {
      throw new Error('busy');
    };
    const refused = await account.close(id);
    standIn.host.onClose = async () => {};
    expect(refused).toMatchObject({ status: 502, json: { error: 'Backend DELETE failed: busy' } });
    expect((await account.get(`/api/browser/${id}/status`)).json.status).toBe('ACTIVE');
  });
  test('ACTIVE → EXPIRED when the lifetime is reached', async () => {
    const account = await standIn.account();
    const id = idOf(await account.connect());
    standIn.host.end(id, 'expired');
    await expect
      .poll(async () => (await account.get(`/api/browser/${id}/status`)).json.status)
      .toBe('EXPIRED');
    expect((await account.get('/user/api/limits')).json.remaining).toBe(5);
    expect((await account.get('/user/api/me')).json.usage.browserSeconds).toBe(7200);
  });
  test('ACTIVE → DEAD when the browser goes away', () =>
    withAccount(async (account) => {
      const answer = await account.connect({ headless: 'true' });
      await closeBrowserOverCdp(answer.text);
      const id = idOf(answer);
      await expect
        .poll(async () => (await account.get(`/api/browser/${id}/status`)).json.status)
        .toBe('DEAD');
      expect((await account.get('/user/api/limits')).json.remaining).toBe(5);
    }));
  test('CLOSED, DEAD, EXPIRED: close is 200 with the final status, reconnect is 410', async () => {
    const account = await standIn.account();
    for (const [cause, final] of [
      ['closed', 'CLOSED'],
      ['gone', 'DEAD'],
      ['expired', 'EXPIRED'],
    ] as const) {
      const id = idOf(await account.connect());
      standIn.host.end(id, cause);
      await expect.poll(async () => (await account.get(`/api/browser/${id}/status`)).json.status).toBe(final);
      for (let i = 0; i < 2; i++) {
        expect(await account.close(id)).toMatchObject({
          status: 200,
          json: { browserId: id, status: final },
        });
      }
      const reconnect = await account.connect({ sessionId: id });
      expect([reconnect.status, reconnect.text]).toEqual([410, `Session is ${final}`]);
    }
  });
});

describe('GET /connect', () => {
  test('200: the CDP URL as text/plain, and the headers', () =>
    withAccount(async (account) => {
      const answer = await account.connect({ headless: 'true' });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe(text);
      expect(answer.text).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/cdp\/br_[0-9a-f]{40}$/);
      expect(idOf(answer)).toMatch(sessionId);
      expect(answer.headers.get('x-ratelimit-limit')).toBe('5');
      expect(answer.headers.get('x-ratelimit-remaining')).toBe('4');
      expect(answer.headers.has('x-vnc-url')).toBe(false);
      expect(answer.headers.has('x-error-code')).toBe(false);
    }));
  test.each([
    ['30', 120],
    ['604800', 86_400],
    ['0', 7200],
    ['-7', 120],
    ['3600', 3600],
  ])('maxLifetime %s is clamped to %s seconds', async (maxLifetime, seconds) => {
    const account = await standIn.account();
    const id = idOf(await account.connect({ maxLifetime }));
    const session = (await account.get(`/api/browser/${id}/status`)).json;
    expect(Date.parse(session.expiresAt) - Date.parse(session.createdAt)).toBe(seconds * 1000);
  });
  test.each(['windows', 'android', 'linux', 'macos'])('os %s', async (os) => {
    const account = await standIn.account();
    const id = idOf(await account.connect({ os }));
    expect((await account.get(`/api/browser/${id}/status`)).json.browserParams.os).toBe(os);
  });
  test.each([
    ['true', true],
    ['TRUE', false],
    ['1', false],
    ['false', false],
    ['', false],
  ])('headless and force_visibility: only the literal true enables (%s)', async (value, enabled) => {
    const account = await standIn.account();
    const id = idOf(await account.connect({ headless: value, force_visibility: value }));
    expect((await account.get(`/api/browser/${id}/status`)).json.browserParams).toMatchObject({
      headless: enabled,
      force_visibility: enabled,
    });
  });
  test('vnc: x-vnc-url when the browser came up with a viewer, on reconnect too', async () => {
    const account = await standIn.account();
    const created = await account.connect({ vnc: 'true' });
    const viewer = created.headers.get('x-vnc-url');
    expect(viewer).toMatch(/^https:\/\/host\.example\/vnc\/[0-9a-f]+$/);
    expect(viewer).not.toContain(cdpIdOf(created.text).slice(3));
    expect((await account.connect({ sessionId: idOf(created) })).headers.get('x-vnc-url')).toBe(viewer);
    expect((await account.connect({ vnc: 'true', headless: 'true' })).headers.has('x-vnc-url')).toBe(false);
  });
  test('sessionId: reconnects, ignores every other parameter, and creates nothing', () =>
    withAccount(async (account) => {
      const created = await account.connect({ headless: 'true' });
      const query = new URLSearchParams({
        sessionId: idOf(created),
        proxy: 'nonsense',
        os: 'beos',
        maxLifetime: 'x',
      });
      const again = await account.get(`/connect?${query}`);
      expect([again.status, again.text, idOf(again)]).toEqual([200, created.text, idOf(created)]);
      expect(again.headers.get('x-ratelimit-remaining')).toBe('4');
      expect((await account.get('/api/browsers')).json).toHaveLength(1);
    }));
  test('token: the key in place of the header', () =>
    withAccount(async (account) => {
      const query = new URLSearchParams({ token: account.key, sessionId: 'br_000000000000000000000000' });
      expect((await call(`${service.gatewayUrl}/connect?${query}`)).status).toBe(404);
      const elsewhere = await call(`${service.gatewayUrl}/user/api/me?${query}`);
      expect([elsewhere.status, elsewhere.json]).toEqual([
        401,
        {
          code: 'MISSING_API_KEY',
          error: 'Missing API key',
          detail: 'Send your API key in the x-api-key header.',
        },
      ]);
    }));
  test.each([
    ['browser_version_min', '140'],
    ['browser_version_max', '156'],
    ['browser_language', 'de-DE,de;q=0.9,en;q=0.5'],
    ['ui_language', 'fr'],
    ['screen_width_min', '1280'],
    ['screen_height_min', '800'],
  ])('%s is taken', async (name, value) => {
    const account = await standIn.account();
    const id = idOf(await account.connect({ [name]: value }));
    const { browserParams } = (await account.get(`/api/browser/${id}/status`)).json;
    expect(String(browserParams[name])).toBe(value);
  });
  test.each([
    { what: 'a JSON object', metadata: '{"a":{"b":[1]}}', kept: { a: { b: [1] } } },
    {
      what: 'an object of 16 KiB',
      metadata: JSON.stringify({ a: '"'.repeat(8188) }),
      kept: { a: '"'.repeat(8188) },
    },
    { what: 'no JSON', metadata: 'not json', kept: {} },
    { what: 'a list', metadata: '[1]', kept: {} },
    { what: 'a text', metadata: '"text"', kept: {} },
    { what: 'an object over 16 KiB', metadata: JSON.stringify({ a: 'x'.repeat(16_400) }), kept: {} },
  ])('metadata: $what is stored, or dropped without an error', async ({ metadata, kept }) => {
    const account = await standIn.account();
    const answer = await account.connect({ metadata });
    expect(answer.status).toBe(200);
    const stored = (await account.get(`/api/browser/${idOf(answer)}/status`)).json.metadata;
    expect(stored).toEqual({ ...kept, turnpike: expect.any(Object) });
  });
  test('as a WebSocket: 307 with the CDP URL as Location', () =>
    withAccount(async (account) => {
      const status = await upgradeStatus(
        `${service.gatewayUrl}/connect?${new URLSearchParams({ token: account.key, proxy: account.proxy, headless: 'true' })}`,
      );
      const [running] = (await account.get('/api/browsers')).json;
      expect(status).toEqual({ status: 307, location: running.cdpUrl });
    }));
});

describe('POST /api/browser/create', () => {
  test('booleans and integers may be JSON or text; unknown fields are ignored; the headers are those of /connect', async () => {
    const account = await standIn.account();
    const answer = await account.create({
      headless: 'true',
      maxLifetime: '300',
      screen_width_min: 1280,
      nonsense: [1],
    });
    expect(answer.headers.get('content-type')).toBe(json);
    expect(answer.json.browserParams).toMatchObject({
      headless: true,
      maxLifetime: 300,
      screen_width_min: 1280,
    });
    expect(idOf(answer)).toBe(answer.json.browserId);
    expect(answer.headers.get('x-ratelimit-limit')).toBe('5');
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('4');
  });
  test('vncUrl where there is a viewer', async () => {
    const account = await standIn.account();
    const answer = await account.create({ vnc: true });
    expect(answer.json.vncUrl).toBe(answer.headers.get('x-vnc-url'));
  });
  test('sessionId in the body reconnects', async () => {
    const account = await standIn.account();
    const created = (await account.create()).json;
    expect((await account.create({ sessionId: created.browserId })).json).toEqual(created);
  });
  test('parameters may stand in browserParams, as the family sends them; the top wins', async () => {
    const account = await standIn.account();
    const browserParams = { proxy: account.proxy, os: 'macos', headless: true, metadata: { job: 'j' } };
    const answer = await account.post('/api/browser/create', {
      backend: 'x',
      keepAlive: true,
      maxLifetime: 600,
      os: 'linux',
      headless: null,
      browserParams,
    });
    expect(answer.json).toMatchObject({
      browserParams: { os: 'linux', headless: true, maxLifetime: 600 },
      metadata: { job: 'j' },
    });
    const again = await account.post('/api/browser/create', {
      browserParams: { sessionId: answer.json.browserId },
    });
    expect(again.json).toEqual(answer.json);
  });
  test.each(['text', 1, [[1]], true])('browserParams %j is not an object: 400', async (browserParams) => {
    const answer = await (await standIn.account()).create({ browserParams });
    expect(answer).toMatchObject({
      status: 400,
      json: { error: 'Malformed browser params: browserParams must be an object' },
    });
  });
  test.each([null, 'text', 1, [[1]], true])('metadata %j is not an object: 400', async (metadata) => {
    const account = await standIn.account();
    const answer = await account.create({ metadata });
    expect(answer).toMatchObject({
      status: 400,
      json: { error: 'Malformed browser params: metadata must be an object' },
    });
  });
});

describe.each(engines)('POST /api/browser/status/bulk on %s', (engine) => {
  let ownStore: TestStore;
  let gateway: TestGateway;
  beforeAll(async () => {
    ownStore = await testStore(engine);
    gateway = await startTestGateway(ownStore.location);
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await ownStore[Symbol.asyncDispose]();
  });
  const bulk = (account: TestAccount, body: unknown) => account.post('/api/browser/status/bulk', body);

  test("each distinct id in the order asked, of either kind; what is not the caller's is NOT_FOUND", async () => {
    const [account, other] = [await gateway.account(), await gateway.account()];
    const [one, two, foreign] = [await account.create(), await account.create(), await other.create()];
    await account.close(two.json.browserId);
    const cdpId = cdpIdOf(one.json.cdpUrl);
    const missing = [foreign.json.browserId, 'br_none', '', 'a\0b', '%zz'];
    const ids = [cdpId, missing[0], two.json.browserId, ...missing, one.json.browserId, cdpId];
    const answer = await bulk(account, { browserIds: ids, sessionIds: [...ids].reverse() });
    expect(answer.status).toBe(200);
    const status = async (id: string) => (await account.get(`/api/browser/${id}/status`)).json;
    const nothing = (browserId: string | undefined) => ({ browserId, status: 'NOT_FOUND' });
    expect(answer.json).toEqual({
      browsers: [
        await status(cdpId),
        nothing(missing[0]),
        await status(two.json.browserId),
        ...missing.slice(1).map(nothing),
        await status(one.json.browserId),
      ],
    });
    expect((await bulk(account, { sessionIds: [two.json.browserId] })).json.browsers).toMatchObject([
      { browserId: two.json.browserId, status: 'CLOSED' },
    ]);
  });
  test('1 to 100 ids, or 400; not counted as a create', async () => {
    const account = await gateway.account({ creates_per_minute: 1 });
    const ids = Array.from({ length: 100 }, (_, i) => `br_${i}`);
    expect((await bulk(account, { browserIds: ids, sessionIds: ids })).json.browsers).toHaveLength(100);
    const error = 'browserIds must be a list of 1 to 100 ids';
    for (const body of [
      {},
      { browserIds: [] },
      { browserIds: 'br_1' },
      { browserIds: [1] },
      { browserIds: [['br_1']] },
      { browserIds: ids, sessionIds: ['br_100'] },
    ]) {
      expect(await bulk(account, body)).toMatchObject({ status: 400, json: { error } });
    }
    expect((await bulk(account, 'no JSON')).status).toBe(400);
    expect((await account.create()).status).toBe(200);
  });
});

describe('Account endpoints', () => {
  test('GET /user/api/me', () =>
    withAccount(async (account) => {
      const me = await account.get('/user/api/me');
      expect(me.json).toEqual({
        account: {
          id: account.id,
          email: account.email,
          name: '',
          status: 'active',
          createdAt: expect.stringMatching(isoTimestamp),
        },
        limits: { concurrent: 5, unlimited: false, createsPerMinute: 60, browserSecondsCap: 172_800 },
        usage: { browserSeconds: 0, remainingSeconds: 172_800, sessions: 0 },
      });
      expect(me.text).not.toContain('tp_live_');
    }));
  test('GET /user/api/sessions and GET /user/api/usage', () =>
    withAccount(async (account) => {
      const id = idOf(await account.connect({ headless: 'true', metadata: '{"n":1}' }));
      await account.close(id);
      const { sessions, nextCursor } = (await account.get('/user/api/sessions')).json;
      expect(nextCursor).toBeNull();
      expect(sessions).toEqual([
        {
          browserId: id,
          status: 'CLOSED',
          createdAt: expect.stringMatching(isoTimestamp),
          expiresAt: expect.stringMatching(isoTimestamp),
          endedAt: expect.stringMatching(isoTimestamp),
          durationSeconds: expect.any(Number),
          billedSeconds: billedFor(sessions[0].durationSeconds),
          endReason: 'client_close',
          bytesUp: expect.any(Number),
          bytesDown: expect.any(Number),
          traffic: expect.objectContaining({ maxBytesReached: false, refused: {} }),
          browserParams: expect.objectContaining({ headless: true }),
          metadata: expect.objectContaining({ n: 1 }),
        },
      ]);
      const { bytesUp, bytesDown, billedSeconds } = sessions[0];
      const counts = { sessions: 1, browserSeconds: billedSeconds, bytesUp, bytesDown };
      expect((await account.get('/user/api/usage')).json).toEqual({
        totals: { ...counts, remainingSeconds: 172_800 - billedSeconds },
        days: [{ date: sessions[0].endedAt.slice(0, 10), ...counts }],
      });
    }));
  test('POST /user/api/regenerate-key: the old key gets 401 on its next call, running sessions are untouched', async () => {
    const account = await standIn.account();
    const { text: cdpUrl, headers } = await account.connect();
    const { apiKey } = (await account.post('/user/api/regenerate-key')).json;
    expect(apiKey).toMatch(/^tp_live_[0-9a-f]{64}$/);
    expect(apiKey).toHaveLength(72);
    expect((await account.get('/user/api/me')).json).toMatchObject({ error: 'Invalid API key' });
    const reconnected = await call(`${standIn.url}/connect?sessionId=${headers.get('x-session-id')}`, {
      headers: { 'x-api-key': apiKey },
    });
    expect(reconnected.text).toBe(cdpUrl);
  });
});

describe('Authentication', () => {
  const paths = [
    ['GET', '/connect'],
    ['POST', '/api/browser/create'],
    ['POST', '/api/browser/close'],
    ['GET', '/api/browser/x/status'],
    ['GET', '/api/browsers'],
    ['GET', '/user/api/limits'],
    ['GET', '/user/api/me'],
    ['GET', '/user/api/sessions'],
    ['GET', '/user/api/usage'],
    ['POST', '/user/api/regenerate-key'],
  ] as const;
  test.each(paths)('%s %s: 401 Missing API key, 401 Invalid API key, both JSON', async (method, path) => {
    const missing = await call(service.gatewayUrl + path, { method });
    expect(missing).toMatchObject({ status: 401, json: { error: 'Missing API key' } });
    const invalid = await call(service.gatewayUrl + path, {
      method,
      headers: { 'x-api-key': `tp_live_${'0'.repeat(64)}` },
    });
    expect(invalid).toMatchObject({ status: 401, json: { error: 'Invalid API key' } });
  });
  test('a suspended account is 401 Invalid API key', () =>
    withAccount(async (account) => {
      await service.turnpike('account', 'suspend', account.email);
      expect(await account.get('/user/api/me')).toMatchObject({
        status: 401,
        json: { error: 'Invalid API key' },
      });
      await service.turnpike('account', 'reinstate', account.email);
      expect((await account.get('/user/api/me')).status).toBe(200);
    }));
});

describe('Errors', () => {
  const forms = [
    ['400 PROXY_REQUIRED', undefined, 'A proxy is required for this account.', 'no proxy supplied'],
    ['400 PROXY_REQUIRED', '   ', 'A proxy is required for this account.', 'no proxy supplied'],
    ['400 PROXY_INVALID', 'http://proxy.example', 'That proxy is not valid.', 'missing port'],
    ['400 PROXY_INVALID', 'ftp://proxy.example:21', 'That proxy is not valid.', 'unsupported scheme'],
    ['400 PROXY_INVALID', 'http://:8080', 'That proxy is not valid.', 'missing host'],
    ['400 PROXY_INVALID', 'http://10.0.0.1:8080', 'That proxy is not valid.', 'address not allowed'],
  ] as const;
  test.each(forms)('%s for proxy %s', async (row, proxy, message, rule) => {
    const code = row.slice(4);
    const account = await standIn.account();
    const connect = await account.get(
      `/connect?${new URLSearchParams(proxy === undefined ? {} : { proxy })}`,
    );
    expect([
      connect.status,
      connect.headers.get('content-type'),
      connect.headers.get('x-error-code'),
    ]).toEqual([400, text, code]);
    expect(connect.text).toBe(`${message} (${rule})`);
    const create = await account.post('/api/browser/create', proxy === undefined ? {} : { proxy });
    expect([create.status, create.headers.get('content-type')]).toEqual([400, json]);
    expect(create.json).toEqual({ code, error: message, detail: rule });
  });

  test.each([
    ['os', 'beos', 'os must be one of windows, android, linux, macos'],
    ['maxLifetime', '1.5', 'maxLifetime must be an integer'],
    ['maxLifetime', 'soon', 'maxLifetime must be an integer'],
    ['browser_version_min', '0', 'browser_version_min must be from 1 to 999'],
    ['browser_version_max', '1000', 'browser_version_max must be from 1 to 999'],
    ['screen_width_min', '7681', 'screen_width_min must be at most 7680'],
    ['screen_height_min', '4321', 'screen_height_min must be at most 4320'],
    ['browser_language', 'en\r\nx: y', 'browser_language must be a language list such as en-US,en;q=0.9'],
    ['ui_language', '--flag', 'ui_language must be a language list such as en-US,en;q=0.9'],
  ])('400 Malformed browser params: %s=%j', async (field, value, rule) => {
    const account = await standIn.account();
    const connect = await account.connect({ [field]: value });
    expect([connect.status, connect.text]).toEqual([400, `Malformed browser params: ${rule}`]);
    expect(connect.headers.get('content-type')).toBe(text);
    const create = await account.create({ [field]: value });
    expect([create.status, create.json]).toEqual([
      400,
      { code: 'MALFORMED_PARAMS', error: `Malformed browser params: ${rule}` },
    ]);
    expect((await account.get('/user/api/limits')).json.remaining).toBe(5);
  });
  test('400 Malformed browser params: version min above max', async () => {
    const account = await standIn.account();
    const connect = await account.connect({ browser_version_min: '150', browser_version_max: '140' });
    expect(connect.text).toBe(
      'Malformed browser params: browser_version_min must not be above browser_version_max',
    );
  });
  test.each([undefined, {}, { sessionId: 'br_000000000000000000000000' }, { browserId: 7 }])(
    '400 browserId is required: %j',
    async (body) => {
      const account = await standIn.account();
      expect(await account.post('/api/browser/close', body)).toMatchObject({
        status: 400,
        json: { error: 'browserId is required' },
      });
    },
  );
  test('402 USAGE_CAP_REACHED: JSON on /connect too; creates only', () =>
    withAccount(
      async (account) => {
        for (const answer of [await account.connect(), await account.create()]) {
          expect([answer.status, answer.headers.get('content-type')]).toEqual([402, json]);
          expect(answer.json).toEqual({
            error: expect.any(String),
            code: 'USAGE_CAP_REACHED',
            remainingSeconds: 0,
          });
        }
        expect((await account.connect({ sessionId: 'br_000000000000000000000000' })).status).toBe(404);
      },
      { browser_seconds_cap: 0 },
    ));
  test("404 Session not found: an unknown id, another account's id", async () => {
    const [owner, other] = [await standIn.account(), await standIn.account()];
    const created = await owner.connect();
    for (const id of [idOf(created), cdpIdOf(created.text), 'br_000000000000000000000000', 'x']) {
      expect(await other.get(`/api/browser/${id}/status`)).toMatchObject({
        status: 404,
        json: { error: 'Session not found' },
      });
      expect(await other.close(id)).toMatchObject({ status: 404, json: { error: 'Session not found' } });
      const reconnect = await other.connect({ sessionId: id });
      expect([reconnect.status, reconnect.text, reconnect.headers.get('content-type')]).toEqual([
        404,
        'Session not found',
        text,
      ]);
    }
  });
  test('422 PROXY_UNREACHABLE on both create paths', () =>
    withAccount(async (account) => {
      await using bad = await startBadProxies();
      const proxy = `http://127.0.0.1:${bad.refuses}`;
      const message =
        /^The browser could not connect through that proxy\. .*host, port, username and password/;
      const connect = await account.connect({ proxy, headless: 'true' });
      expect([
        connect.status,
        connect.headers.get('x-error-code'),
        connect.headers.get('content-type'),
      ]).toEqual([422, 'PROXY_UNREACHABLE', text]);
      expect(connect.text).toMatch(message);
      const create = await account.create({ proxy, headless: true });
      expect([create.status, create.json]).toEqual([
        422,
        { code: 'PROXY_UNREACHABLE', error: expect.stringMatching(message), detail: expect.any(String) },
      ]);
      expect((await account.get('/user/api/limits')).json.remaining).toBe(5);
    }));
  test('429 CONCURRENCY_LIMIT: JSON on /connect too, retry-after 5', () =>
    withAccount(
      async (account) => {
        await account.connect({ headless: 'true' });
        for (const answer of [await account.connect(), await account.create()]) {
          expect([
            answer.status,
            answer.headers.get('retry-after'),
            answer.headers.get('content-type'),
          ]).toEqual([429, '5', json]);
          expect(answer.json).toEqual({
            error: 'Concurrent browser limit reached',
            code: 'CONCURRENCY_LIMIT',
            limit: 1,
            active: 1,
          });
        }
      },
      { concurrent_limit: 1 },
    ));
  test('429 RATE_LIMIT: JSON on /connect too, retry-after 60', () =>
    withAccount(
      async (account) => {
        expect((await account.get('/connect')).status).toBe(400);
        for (const answer of [await account.connect(), await account.create()]) {
          expect([
            answer.status,
            answer.headers.get('retry-after'),
            answer.headers.get('content-type'),
          ]).toEqual([429, '60', json]);
          expect(answer.json).toEqual({
            error: 'Rate limit exceeded',
            code: 'RATE_LIMIT',
            limit: 1,
            window: '60s',
          });
        }
      },
      { creates_per_minute: 1 },
    ));
  test('502 Browser creation failed', async () => {
    const account = await standIn.account();
    standIn.host.onOpen = async () => {
      throw new Error('no');
    };
    const [connect, create] = [await account.connect(), await account.create()];
    standIn.host.onOpen = async () => {};
    expect([connect.status, connect.text, connect.headers.get('content-type')]).toEqual([
      502,
      'Browser creation failed',
      text,
    ]);
    expect([create.status, create.json]).toEqual([502, { error: 'Browser creation failed' }]);
  });
  test('500 Reconnect failed, 500 on close, 503 Authentication service temporarily unavailable: the store fails', async () => {
    await using broken = await testStore('sqlite');
    await using gateway = await startTestGateway(broken.location);
    const account = await gateway.account();
    const { db } = gateway.running.gateway;
    const id = idOf(await account.connect());
    await sql`alter table sessions rename to elsewhere`.execute(db);
    const reconnect = await account.connect({ sessionId: id });
    expect([reconnect.status, reconnect.headers.get('content-type')]).toEqual([500, text]);
    expect(reconnect.text).toMatch(/^Reconnect failed: /);
    expect(await account.close(id)).toMatchObject({ status: 500, json: { error: expect.any(String) } });
    await sql`alter table accounts rename to nowhere`.execute(db);
    for (const answer of [await account.connect(), await account.get('/user/api/me')]) {
      expect([answer.status, answer.headers.get('content-type')]).toEqual([503, json]);
      expect(answer.json).toEqual({ error: 'Authentication service temporarily unavailable' });
    }
    await sql`alter table elsewhere rename to sessions`.execute(db);
    await sql`alter table nowhere rename to accounts`.execute(db);
  });
  test('503 CAPACITY: X-Error-Code, retry-after 2', async () => {
    const account = await standIn.account();
    standIn.host.places = 0;
    const [connect, create] = [await account.connect(), await account.create()];
    standIn.host.places = 1000;
    const message = 'All browsers are busy right now, try again in a moment.';
    for (const answer of [connect, create]) {
      expect([answer.status, answer.headers.get('x-error-code'), answer.headers.get('retry-after')]).toEqual([
        503,
        'CAPACITY',
        '2',
      ]);
    }
    expect([connect.headers.get('content-type'), connect.text]).toEqual([text, message]);
    expect(create.json).toEqual({ code: 'CAPACITY', error: message });
  });
});

describe('Order of checks on a create', () => {
  test('key → rate → hours → concurrency → form', async () => {
    const bad = { os: 'beos' };
    const spent = await standIn.account({
      creates_per_minute: 1,
      browser_seconds_cap: 0,
      concurrent_limit: 0,
    });
    expect((await spent.connect(bad)).status).toBe(402);
    expect((await spent.connect(bad)).json.code).toBe('RATE_LIMIT');
    const full = await standIn.account({ concurrent_limit: 0 });
    expect((await full.connect(bad)).json.code).toBe('CONCURRENCY_LIMIT');
    expect((await (await standIn.account()).connect(bad)).status).toBe(400);
  });
});

async function closeBrowserOverCdp(cdpUrl: string): Promise<void> {
  const socket = new WebSocket(cdpUrl);
  const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  socket.send(JSON.stringify({ id: 1, method: 'Browser.close' }));
  await closed;
}

async function upgradeStatus(
  url: string,
): Promise<{ status: number | undefined; location: string | undefined }> {
  const { request } = await import('node:http');
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  };
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      response.resume();
      resolve({ status: response.statusCode, location: response.headers.location });
    })
      .on('error', reject)
      .end();
  });
}
