import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  call,
  engines,
  someProxy as proxy,
  startGatewayOn,
  type TestAccount,
  type TestGateway,
} from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

/** Page calls at the gateway, with a host that stands in for a real one. */

watchLeaks();

describe.each(engines)('page calls on %s', (engine) => {
  let gateway: TestGateway;
  let account: TestAccount;
  beforeEach(async () => {
    gateway = await startGatewayOn(engine);
    account = await gateway.account();
  });
  afterEach(() => gateway[Symbol.asyncDispose]());

  const url = 'https://example.com/';
  const closed = () =>
    expect
      .poll(async () => (await account.get('/user/api/sessions')).json.sessions[0]?.status)
      .toBe('CLOSED');
  const withKey = (path: string, body: object, idempotencyKey: string) =>
    call(gateway.url + path, {
      method: 'POST',
      headers: { 'x-api-key': account.key, 'idempotency-key': idempotencyKey },
      body: JSON.stringify(body),
    });

  test('a call opens a session with its parameters, reads the page and closes the session', async () => {
    const body = { url, proxy, os: 'macos', gotoOptions: { waitUntil: 'load', timeout: 5000 } };
    const answer = await account.post('/api/page/content', body);
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('a page');
    const [called] = gateway.host.pageCalls;
    expect(called).toMatchObject({
      formats: ['content'],
      raw: true,
      timeoutMs: 35_000,
      parameters: { url, gotoOptions: { waitUntil: 'load', timeout: 5000 } },
    });
    expect(called?.parameters).not.toHaveProperty('proxy');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'x-session-id': called?.sessionId,
      'x-page-url': url,
      'x-page-status': '200',
      'x-content-type-options': 'nosniff',
    });
    await closed();
    const [session] = (await account.get('/user/api/sessions')).json.sessions;
    expect(session).toMatchObject({
      browserId: called?.sessionId,
      billedSeconds: 30,
      browserParams: { os: 'macos', headless: true, maxLifetime: 120 },
    });
  });

  test('several formats come as JSON from one load', async () => {
    const { json } = await account.post('/api/page', { url, proxy, formats: ['markdown', 'links'] });
    expect(json).toMatchObject({
      page: { status: 200, url },
      results: { markdown: 'markdown', links: ['https://example.com/a'] },
    });
    expect(gateway.host.pageCalls).toHaveLength(1);
    await closed();
  });

  test('a page that does not load is an error with its reason, and its session is closed and billed', async () => {
    const report = { url, timings: { total: 3 }, consoleErrors: [], failedRequests: [], warnings: [] };
    const error = { code: 'PAGE_DNS' as const, message: 'There is no host example.com.' };
    gateway.host.answerPage = async () => ({ report, error });
    const answer = await account.post('/api/page/markdown', { url, proxy });
    expect(answer.status).toBe(422);
    expect(answer.headers.get('x-error-code')).toBe('PAGE_DNS');
    expect(answer.json).toMatchObject({ code: 'PAGE_DNS', error: error.message, page: { url } });
    await closed();
  });

  test('HTML of a page cannot run with the rights of the dashboard', async () => {
    const answered = gateway.host.answerPage;
    gateway.host.answerPage = async (asked) => ({
      ...(await answered(asked)),
      type: 'text/html; charset=utf-8',
    });
    const { headers } = await account.post('/api/page/content', { url, proxy });
    expect(headers.get('content-security-policy')).toBe('sandbox');
    await closed();
  });

  test('a repeat with the same Idempotency-Key gets the same answer, and loads and bills nothing', async () => {
    const first = await withKey('/api/page/content', { url, proxy }, 'one');
    await closed();
    const again = await withKey('/api/page/content', { url, proxy }, 'one');
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('x-session-id')).toBe(first.headers.get('x-session-id'));
    expect(gateway.host.pageCalls).toHaveLength(1);
    const other = await withKey('/api/page/content', { url: `${url}other`, proxy }, 'one');
    expect([other.status, other.json.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    expect((await account.get('/user/api/sessions')).json.sessions).toHaveLength(1);
  });

  test('a repeat while the first is under way is told to come back', async () => {
    const asked = Promise.withResolvers<void>();
    const answered = gateway.host.answerPage;
    gateway.host.answerPage = async (page) => {
      await asked.promise;
      return answered(page);
    };
    const first = withKey('/api/page/content', { url, proxy }, 'two');
    await expect.poll(() => gateway.host.pageCalls.length).toBe(1);
    const again = await withKey('/api/page/content', { url, proxy }, 'two');
    expect([again.status, again.json.code]).toEqual([409, 'CONFLICT']);
    asked.resolve();
    expect((await first).status).toBe(200);
    await closed();
  });

  test('a call whose host was lost can be repeated with its key, and runs one session at a time', async () => {
    const called = gateway.host.callPage.bind(gateway.host);
    gateway.host.callPage = async () => undefined;
    const lost = await withKey('/api/page/content', { url, proxy }, 'lost');
    expect(lost.status).toBe(502);
    // It has ended before the answer came.
    expect((await account.get('/api/browsers')).json).toEqual([]);
    gateway.host.callPage = called;
    const again = await withKey('/api/page/content', { url, proxy }, 'lost');
    expect([again.status, again.text]).toEqual([200, 'a page']);
    expect((await withKey('/api/page/content', { url, proxy }, 'lost')).text).toBe('a page');
    expect((await account.get('/user/api/sessions')).json.sessions).toHaveLength(2);
    await closed();
  });

  test('an error of the page is kept for repeats too', async () => {
    const report = { url, timings: { total: 3 }, consoleErrors: [], failedRequests: [], warnings: [] };
    gateway.host.answerPage = async () => ({ report, error: { code: 'PAGE_TLS', message: 'No.' } });
    const first = await withKey('/api/page/pdf', { url, proxy }, 'three');
    await closed();
    const again = await withKey('/api/page/pdf', { url, proxy }, 'three');
    expect([again.status, again.json]).toEqual([422, first.json]);
    expect(gateway.host.pageCalls).toHaveLength(1);
  });
});

describe('page calls', () => {
  let gateway: TestGateway;
  let account: TestAccount;
  beforeEach(async () => {
    gateway = await startGatewayOn('sqlite');
    account = await gateway.account();
  });
  afterEach(() => gateway[Symbol.asyncDispose]());

  const url = 'https://example.com/';

  test('an address alone is enough for a picture', async () => {
    const query = new URLSearchParams({
      token: account.key,
      url,
      proxy,
      viewport: '{"width":800,"height":600}',
      bestAttempt: 'true',
      waitForTimeout: '20',
      userAgent: 'true',
    });
    const answer = await call(`${gateway.url}/api/page/screenshot?${query}`);
    expect(answer.status).toBe(200);
    expect(gateway.host.pageCalls[0]?.parameters).toEqual({
      url,
      viewport: { width: 800, height: 600 },
      bestAttempt: true,
      waitForTimeout: 20,
      userAgent: 'true',
    });
  });

  test('a call on a session takes its page as it stands, and does not close it', async () => {
    const { json: session } = await account.create();
    const answer = await account.post('/api/page/markdown', { sessionId: session.browserId });
    expect(answer.status).toBe(200);
    expect(gateway.host.pageCalls[0]).toMatchObject({ sessionId: session.browserId, parameters: {} });
    expect((await account.get(`/api/browser/${session.browserId}/status`)).json.status).toBe('ACTIVE');
    const other = await gateway.account();
    expect((await other.post('/api/page/markdown', { sessionId: session.browserId })).status).toBe(404);
    await account.close(session.browserId);
    expect((await account.post('/api/page/markdown', { sessionId: session.browserId })).status).toBe(410);
  });

  test.each([
    ['content', {}, 'url is required'],
    ['content', { url, html: '<p>' }, 'url and html must not both be given'],
    ['content', { url, gotoOptions: { waitUntil: 'never' } }, 'gotoOptions/waitUntil'],
    ['content', { url, viewport: { width: 0, height: 1 } }, 'viewport/width'],
    ['scrape', { url }, 'elements is required'],
    ['screenshot', { url, options: { quality: 3 } }, 'quality'],
    ['screenshot', { url, screenshotOptions: { path: '/etc/passwd' } }, 'screenshotOptions'],
  ])('%s with %j is refused', async (format, body, message) => {
    const answer = await account.post(`/api/page/${format}`, { proxy, ...body });
    expect(answer.status).toBe(400);
    expect(answer.json.error).toContain(message);
    expect(gateway.host.pageCalls).toEqual([]);
    expect((await account.get('/api/browsers')).json).toEqual([]);
  });

  test('without a proxy, and beyond the limits, it is refused as a create is', async () => {
    expect((await account.post('/api/page/content', { url })).json.code).toBe('PROXY_REQUIRED');
    const limited = await gateway.account({ creates_per_minute: 1 });
    await limited.post('/api/page/content', { url, proxy });
    expect((await limited.post('/api/page/content', { url, proxy })).json.code).toBe('RATE_LIMIT');
  });

  test('calls of an account with one slot wait for each other', async () => {
    const single = await gateway.account({ concurrent_limit: 1 });
    const statuses = await Promise.all(
      [1, 2, 3].map(async () => (await single.post('/api/page/content', { url, proxy })).status),
    );
    expect(statuses).toEqual([200, 200, 200]);
  });

  test('a session that its host has lost is a 502', async () => {
    gateway.host.callPage = async () => undefined;
    expect((await account.post('/api/page/content', { url, proxy })).status).toBe(502);
    await expect.poll(async () => (await account.get('/api/browsers')).json).toEqual([]);
  });

  test('an operator can turn them off', async () => {
    await using other = await startGatewayOn('sqlite', { pageCalls: false });
    const theirs = await other.account();
    const answer = await theirs.post('/api/page/content', { url, proxy });
    expect([answer.status, answer.json.code]).toEqual([403, 'PAGE_CALLS_OFF']);
  });

  test('an account can turn them off for itself, and crawls with them', async () => {
    const off = await account.post('/user/api/settings', { pageCalls: false });
    expect([off.status, off.json]).toEqual([200, { pageCalls: false }]);
    const refused = await Promise.all([
      account.post('/api/page/content', { url, proxy }),
      account.post('/api/crawl', { url, proxy }),
      call(`${gateway.url}/content?token=${account.key}&proxy=${proxy}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ url }),
      }),
      call(`${gateway.url}/function?token=${account.key}&proxy=${proxy}`, {
        method: 'POST',
        headers: { 'content-type': 'application/javascript' },
        body: 'export default () => 1',
      }),
    ]);
    for (const { status, text, headers } of refused) {
      expect(status).toBe(403);
      expect(text).toContain('Your account has turned page calls off');
      expect(headers.get('x-error-code') ?? JSON.parse(text).code).toBe('PAGE_CALLS_OFF');
    }
    expect([gateway.host.pageCalls, gateway.host.scriptCalls]).toEqual([[], []]);
    const other = await gateway.account();
    expect((await other.post('/api/page/content', { url, proxy })).status).toBe(200);
    expect((await account.post('/user/api/settings', { pageCalls: 'no' })).status).toBe(400);
    await account.post('/user/api/settings', { pageCalls: true });
    expect((await account.get('/user/api/settings')).json).toEqual({ pageCalls: true });
    expect((await account.post('/api/page/content', { url, proxy })).status).toBe(200);
    const { db } = gateway.running.gateway;
    const entries = await db
      .selectFrom('audit_log')
      .select(['actor', 'target', 'detail'])
      .where('action', '=', 'account.settings')
      .execute();
    const detail = (pageCalls: boolean) => JSON.stringify({ pageCalls });
    expect(entries).toEqual([
      { actor: 'key', target: account.email, detail: detail(false) },
      { actor: 'key', target: account.email, detail: detail(true) },
    ]);
  });
});
