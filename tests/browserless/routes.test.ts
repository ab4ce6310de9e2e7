import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  type Answer,
  call,
  someProxy as proxy,
  startGatewayOn,
  type TestAccount,
  type TestGateway,
} from '../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

/** Browserless's addresses at the gateway, with a host that stands in for a real one. */

watchLeaks({ wholeFile: true });

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startGatewayOn('sqlite');
});
afterAll(() => gateway[Symbol.asyncDispose]());
afterEach(() => gateway.host.pageCalls.splice(0));

const url = 'https://example.com/';
const newAccount = async () => {
  account = await gateway.account();
};

/** The address with the account's token and a proxy, as Browserless's clients write it. */
function address(path: string, query: Record<string, string> = {}): string {
  const all = new URLSearchParams({ token: account.key, '--proxy-server': proxy, ...query });
  return `${gateway.url}${path}?${all}`;
}

const post = (path: string, body: unknown, query?: Record<string, string>): Promise<Answer> =>
  call(address(path, query), { method: 'POST', body: JSON.stringify(body) });

/** Asks for a WebSocket, and resolves with the gateway's answer to that. */
async function upgrade(
  to: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: IncomingMessage['headers']; text: string }> {
  const asked: ClientRequest = request(to, {
    headers: { connection: 'Upgrade', upgrade: 'websocket', ...headers },
  });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: await text(response),
  };
}

const paramsOf = async (sessionId: unknown) =>
  (await account.get(`/api/browser/${String(sessionId)}/status`)).json;

test.for(['/', '/chromium', '/chrome', '/chrome/'])(
  'a WebSocket at %s leads to a browser that ends with its client',
  async (path) => {
    await newAccount();
    const { status, headers } = await upgrade(address(path, { timeout: '300000', stealth: 'true' }));
    expect(status).toBe(307);
    expect(headers.location).toMatch(/^wss?:\/\/.+\/cdp\/br_[0-9a-f]{40}$/);
    const { browserParams } = await paramsOf(headers['x-session-id']);
    expect(browserParams).toMatchObject({
      ...{ headless: true, stealth: true, maxLifetime: 300, close_on_disconnect: 1, idleTimeout: 600 },
    });
  },
);

test.for(['/chromium/playwright', '/playwright/chromium', '/chrome/playwright'])(
  "Playwright's own protocol is asked for at %s",
  async (path) => {
    await newAccount();
    const refused = await upgrade(address(path), { 'user-agent': 'Playwright/1.10.0 (x64)' });
    expect(refused.status).toBe(428);
    const served = await upgrade(address(path), { 'user-agent': 'Playwright/1.65.0 (x64; debian 12)' });
    // The stand-in speaks CDP alone.
    expect([served.status, served.headers['x-error-code']]).toEqual([503, 'PROTOCOL_NOT_OFFERED']);
  },
);

test('launch options are read, and what is ignored is said in a header', async () => {
  await newAccount();
  const launch = { headless: false, args: ['--no-sandbox', '--user-data-dir=/tmp/shop', '--lang=de-DE'] };
  const { headers } = await upgrade(address('/', { launch: JSON.stringify(launch), trackingId: 'job-1' }));
  expect(JSON.parse(String(headers['x-turnpike-warnings']))).toEqual([
    "Arguments of Chromium are the service's to choose. Ignored: --no-sandbox.",
  ]);
  const { browserParams, metadata } = await paramsOf(headers['x-session-id']);
  expect(browserParams).toMatchObject({ headless: false, savedProfile: 'shop', browser_language: 'de-DE' });
  expect(metadata).toMatchObject({ trackingId: 'job-1' });
  const { text: said } = await upgrade(address('/', { launch: '[]' }));
  expect(said).toBe('launch must be a JSON object, plain or in base64.');
});

test('who names no proxy is told how', async () => {
  await newAccount();
  const bare = `?token=${account.key}`;
  const { status, headers, text: said } = await upgrade(`${gateway.url}/${bare}`);
  expect([status, headers['x-error-code']]).toEqual([400, 'PROXY_REQUIRED']);
  expect(said).toContain('--proxy-server= or proxy=');
  const posted = await call(`${gateway.url}/content${bare}`, {
    method: 'POST',
    body: JSON.stringify({ url }),
  });
  expect([posted.status, posted.headers.get('x-error-code')]).toEqual([400, 'PROXY_REQUIRED']);
  expect(posted.text).toContain('--proxy-server= or proxy=');
});

test('a token may stand in the query or in Authorization, and must be a key', async () => {
  await newAccount();
  const { origin } = new URL(gateway.url);
  const basic = Buffer.from(`${account.key}:`).toString('base64');
  for (const authorization of [`Bearer ${account.key}`, `Basic ${basic}`]) {
    const answer = await call(`${origin}/pressure`, { headers: { authorization } });
    expect(answer.status).toBe(200);
  }
  expect((await call(`${origin}/pressure`)).status).toBe(401);
  expect((await call(`${origin}/pressure?token=wrong`)).status).toBe(401);
  expect((await upgrade(`${origin}/`)).status).toBe(401);
  expect((await call(address('/chromium'))).text).toContain('This URL is a WebSocket');
});

test.for(['', '/chromium', '/chrome'])('a page is loaded by a call at %s/content', async (prefix) => {
  await newAccount();
  const options = { gotoOptions: { waitUntil: 'networkidle2', timeout: 5000 }, bestAttempt: true };
  const answer = await post(`${prefix}/content`, { url, ...options }, { timeout: '20000' });
  expect([answer.status, answer.text]).toEqual([200, 'a page']);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'x-response-code': '200',
    'x-response-url': url,
  });
  expect(gateway.host.pageCalls).toMatchObject([
    {
      formats: ['content'],
      raw: true,
      timeoutMs: 20_000,
      parameters: { url, ...options, ignoreHttpErrors: true, viewport: { width: 800, height: 600 } },
    },
  ]);
});

test('a scrape is answered in the shape of Browserless', async () => {
  await newAccount();
  const report = { url, status: 200, timings: { total: 3 }, failedRequests: [], warnings: ['Stopped.'] };
  const scraped = [{ selector: 'h1', results: [{ text: 'Hello' }] }];
  gateway.host.answerPage = async () => ({
    report: { ...report, consoleErrors: ['oops'] },
    type: 'application/json',
    body: Buffer.from(JSON.stringify(scraped)),
  });
  const body = { url, elements: [{ selector: 'h1' }] };
  const answer = await post('/scrape', body, { launch: '{"defaultViewport":{"width":9,"height":8}}' });
  expect(answer.json).toEqual({ data: scraped });
  expect(JSON.parse(answer.headers.get('x-turnpike-warnings') ?? '')).toEqual(['Stopped.']);
  expect(gateway.host.pageCalls[0]?.parameters.viewport).toEqual({ width: 9, height: 8 });
  const debugged = await post('/scrape', { ...body, debugOpts: { console: true } });
  expect(debugged.json).toEqual({ data: scraped, debug: { console: ['oops'] } });
  const refused = await post('/scrape', { url });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('elements is required')]);
});

test.for([
  ['/content', {}, 'url or html is required.'],
  ['/pdf', { url, options: { scale: 9 } }, /pdfOptions\/scale/],
  ['/screenshot', { url, options: { path: 'a.png' } }, 'options.path is not allowed.'],
] as const)('a wrong body at %s is refused in plain text', async ([path, body, said]) => {
  await newAccount();
  const answer = await post(path, body);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'text/plain; charset=utf-8']);
  expect(answer.text).toMatch(said);
});

test.for(['/function', '/chromium/download', '/chrome/performance'])(
  '%s says why it is not here',
  async (path) => {
    await newAccount();
    const answer = await post(path, { url });
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.text).toContain('is not offered');
  },
);

test('its status is about the account of the token, and nobody else', async () => {
  await newAccount();
  const other = await gateway.account();
  await other.create();
  const { headers } = await upgrade(address('/', { trackingId: 'job-1' }));
  const get = async (path: string) => (await call(address(path))).json;
  expect((await get('/pressure')).pressure).toMatchObject({ running: 1, isAvailable: true, reason: '' });
  expect(await get('/sessions')).toMatchObject([{ id: headers['x-session-id'], trackingId: 'job-1' }]);
  expect((await call(address('/sessions', { trackingId: 'other' }))).json).toEqual([]);
  expect(await get('/json/list')).toMatchObject([{ webSocketDebuggerUrl: headers.location }]);
  expect(await get('/config')).toMatchObject({ concurrent: expect.any(Number), token: null });
  expect(await get('/meta')).toMatchObject({ firefox: null, version: expect.any(String) });
  await account.close(String(headers['x-session-id']));
  expect(await get('/metrics/total')).toMatchObject({ successful: 1, totalTime: 30_000, units: 1 });
  expect(await get('/metrics')).toMatchObject([{ successful: 1, meanTime: 30_000 }]);
  expect((await call(address('/active'))).status).toBe(204);
});

test('an account that is full is under pressure', async () => {
  account = await gateway.account({ concurrent_limit: 1 });
  await account.create();
  expect((await call(address('/pressure'))).json.pressure).toMatchObject({
    ...{ running: 1, maxConcurrent: 1, isAvailable: false, reason: 'full' },
  });
  const asText = await call(address('/pressure'), { headers: { accept: 'text/plain' } });
  expect([asText.status, asText.text]).toEqual([503, 'The account has as many sessions as it may have.']);
});

test('the version names a WebSocket that needs nothing added', async () => {
  await newAccount();
  const { json } = await call(address('/json/version/'));
  const socket = new URL(json.webSocketDebuggerUrl);
  expect(`${socket.origin}${socket.pathname}`).toBe(`${gateway.url.replace('http', 'ws')}/chromium`);
  expect(Object.fromEntries(socket.searchParams)).toEqual({ token: account.key, '--proxy-server': proxy });
  expect((await upgrade(json.webSocketDebuggerUrl.replace('ws', 'http'))).status).toBe(307);
});
