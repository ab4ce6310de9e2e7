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
afterEach(() => {
  gateway.host.pageCalls.splice(0);
  gateway.host.scriptCalls.splice(0);
});

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
  call(address(path, query), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

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

test("an address that names no proxy gets the account's default", async () => {
  await newAccount();
  await account.post('/user/api/proxies', { name: 'shop', url: proxy });
  const set = await call(`${gateway.url}/user/api/default-proxy`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-api-key': account.key },
    body: JSON.stringify({ proxy: 'name:shop' }),
  });
  expect(set.status, set.text).toBe(200);
  const bare = `?token=${account.key}`;
  const { status, headers } = await upgrade(`${gateway.url}/${bare}`);
  expect(status).toBe(307);
  const { browserParams } = await paramsOf(headers['x-session-id']);
  expect(browserParams).toMatchObject({ proxyName: 'shop' });
  const posted = await call(`${gateway.url}/content${bare}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url }),
  });
  expect(posted.status, posted.text).toBe(200);
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

const code = 'export default async ({ page }) => page.title()';

const postCode = (path: string, body: string, query?: Record<string, string>): Promise<Answer> =>
  call(address(path, query), {
    method: 'POST',
    headers: { 'content-type': 'application/javascript' },
    body,
  });

test.for(['/function', '/chromium/function', '/chrome/function/', '/download'])(
  'a script is passed to the host of its session at %s',
  async (path) => {
    await newAccount();
    const viewport = { width: 800, height: 600 };
    const kind = path.includes('download') ? 'download' : 'function';
    const given = { kind, code, viewport };
    const plain = await postCode(path, code);
    expect([plain.status, plain.text]).toEqual([200, 'a result']);
    expect(Object.fromEntries(plain.headers)).toMatchObject({
      'content-type': 'text/plain; charset=UTF-8',
      'x-content-type-options': 'nosniff',
      'x-session-id': expect.stringMatching(/^br_/),
    });
    await post(path, { code, context: { a: [1] } }, { timeout: '5000' });
    await postCode(path, Buffer.from(code).toString('base64'), { timeout: '500000' });
    expect(gateway.host.scriptCalls).toEqual([
      { ...given, context: {}, timeoutMs: 30_000 },
      { ...given, context: { a: [1] }, timeoutMs: 5000 },
      { ...given, context: {}, timeoutMs: 120_000 },
    ]);
    await expect.poll(async () => (await call(address('/sessions'))).json).toEqual([]);
  },
);

test('what a script answers cannot act in our pages, and a file has its name', async () => {
  await newAccount();
  const answers = [
    { type: 'text/html; charset=UTF-8', body: Buffer.from('<script>') },
    { type: 'text/csv', body: Buffer.from('a,b'), fileName: "it's 1/2.csv" },
  ];
  const usual = gateway.host.answerScript;
  gateway.host.answerScript = async (...asked) => answers.shift() ?? usual(...asked);
  const page = await postCode('/function', code);
  expect(page.headers.get('content-security-policy')).toBe('sandbox');
  const file = await postCode('/download', code);
  expect([file.text, file.headers.get('content-type')]).toEqual(['a,b', 'text/csv']);
  expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename\*=UTF-8''it/);
  gateway.host.answerScript = usual;
});

test.for([
  ['SCRIPT_FAILED', 400],
  ['SCRIPT_TIMEOUT', 408],
] as const)('a script that ends with %s is answered in plain text', async ([name, status]) => {
  await newAccount();
  const usual = gateway.host.answerScript;
  gateway.host.answerScript = async () => ({ error: { code: name, message: 'The words of the script.' } });
  const answer = await postCode('/function', code);
  gateway.host.answerScript = usual;
  expect([answer.status, answer.headers.get('x-error-code')]).toEqual([status, name]);
  expect(answer.text).toBe('The words of the script.');
});

test('a wrong script is refused, and no host hears of it', async () => {
  await newAccount();
  const json = { 'content-type': 'application/json' };
  const refusals: [Answer, string | RegExp][] = [
    [await post('/function', { context: {} }), /^code is required/],
    [await post('/function', { code, context: [] }), 'context must be an object.'],
    [await post('/function', { code: ' '.repeat(2 ** 20) + code }), /^code must be at most 1048576 bytes/],
    [await postCode('/function', 'x'.repeat(4 * 2 ** 20)), /^body must be at most/],
    [await call(address('/function'), { method: 'POST', headers: json, body: '{' }), 'body must be JSON'],
    [
      await call(address('/function'), { method: 'POST', headers: { 'content-type': 'a/b' }, body: code }),
      /javascript/,
    ],
    [await post('/performance', {}), /^url is required/],
    [await post('/performance', { url: 'file:///etc/passwd' }), /^url is required/],
    [await post('/performance', { url, config: 'x' }), /^config must be an object/],
  ];
  for (const [answer, said] of refusals) {
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'text/plain; charset=utf-8']);
    expect(answer.text).toMatch(said);
  }
  expect(gateway.host.scriptCalls).toEqual([]);
});

test('Lighthouse is asked for, with its configuration', async () => {
  await newAccount();
  const config = { extends: 'lighthouse:default', settings: { onlyAudits: ['unminified-css'] } };
  const answer = await post('/chromium/performance', { url, config, budgets: [] });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-turnpike-warnings')).toContain('budgets is ignored');
  expect(gateway.host.scriptCalls).toEqual([{ kind: 'performance', url, config, timeoutMs: 120_000 }]);
});

test('a caller that hangs up ends its script and its session', async () => {
  await newAccount();
  const usual = gateway.host.answerScript;
  const asked = Promise.withResolvers<AbortSignal>();
  gateway.host.answerScript = (_call, signal) => {
    asked.resolve(signal);
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const hangUp = new AbortController();
  const answer = fetch(address('/function'), {
    method: 'POST',
    headers: { 'content-type': 'application/javascript' },
    body: code,
    signal: hangUp.signal,
  }).catch(String);
  const signal = await asked.promise;
  hangUp.abort();
  await answer;
  await expect.poll(() => signal.aborted).toBe(true);
  await expect.poll(async () => (await call(address('/sessions'))).json).toEqual([]);
  gateway.host.answerScript = usual;
});

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
