import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startGatewayOn, type TestAccount, type TestGateway } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

/** WebDriver and Playwright at the gateway's addresses, with a host that stands in for a real one. */

watchLeaks();

let gateway: TestGateway;
let account: TestAccount;
beforeEach(async () => {
  gateway = await startGatewayOn('sqlite');
  gateway.host.protocols = ['bidi', 'playwright', 'webdriver'];
  account = await gateway.account();
});
afterEach(() => gateway[Symbol.asyncDispose]());

const proxy = 'http://u:p@198.51.100.7:8000';

async function send(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(gateway.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    redirect: 'manual',
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    value: text === '' ? undefined : JSON.parse(text).value,
    location: response.headers.get('location'),
  };
}

const capabilities = (options: object, more: object = {}) => ({
  capabilities: { alwaysMatch: { 'turnpike:options': options, ...more }, firstMatch: [{}] },
});

test('a new session opens a browser with the parameters of its options, and a driver without them', async () => {
  const options = { key: account.key, proxy, os: 'macos', metadata: { job: 'j' } };
  const { status, value } = await send(
    'POST',
    '/wd/hub/session',
    capabilities(options, { browserName: 'chrome' }),
  );
  expect(status).toBe(200);
  expect(value.capabilities).toEqual({ browserName: 'chrome' });
  const [cdpId, driverId] = value.sessionId.split('.');
  expect(driverId).toBe('d1');
  const [session] = (await account.get('/api/browsers')).json;
  expect(session.cdpUrl).toBe(`wss://host.example/cdp/${cdpId}`);
  const shown = (await account.get(`/api/browser/${session.browserId}/status`)).json;
  expect(shown).toMatchObject({
    browserParams: { os: 'macos' },
    metadata: { job: 'j' },
    bidiUrl: `wss://host.example/bidi/${cdpId}`,
    playwrightUrl: `wss://host.example/playwright/${cdpId}`,
    webdriverUrl: `https://host.example/webdriver/${cdpId}`,
  });
  const [call] = gateway.host.driverCalls;
  expect(JSON.parse(call?.body ?? '')).toEqual({
    capabilities: { alwaysMatch: { browserName: 'chrome' }, firstMatch: [{}] },
  });
});

test.each([
  ['a header', () => ({ 'x-api-key': account.key })],
  ["a URL's user", () => ({ authorization: `Basic ${btoa(`${account.key}:`)}` })],
  ["a URL's password", () => ({ authorization: `Basic ${btoa(`me:${account.key}`)}` })],
  ['a bearer token', () => ({ authorization: `Bearer ${account.key}` })],
])('the key may be in %s', async (_where, headers) => {
  const { status } = await send('POST', '/session', capabilities({ proxy }), headers());
  expect(status).toBe(200);
});

test('limits, keys and parameters are refused as WebDriver refuses, with our code beside it', async () => {
  const asked = (options: object) => send('POST', '/session', capabilities(options));
  const refused = (code: string, status: number) => ({
    status: 500,
    value: { error: 'session not created', stacktrace: '', data: { code, status } },
  });
  expect(await asked({ proxy })).toMatchObject(refused('MISSING_API_KEY', 401));
  expect(await asked({ key: 'tp_live_x', proxy })).toMatchObject(refused('INVALID_API_KEY', 401));
  expect(await asked({ key: account.key })).toMatchObject(refused('PROXY_REQUIRED', 400));
  expect(await asked({ key: account.key, proxy, os: 'plan9' })).toMatchObject(
    refused('MALFORMED_PARAMS', 400),
  );
  const one = await gateway.account({ concurrent_limit: 1 });
  expect(await asked({ key: one.key, proxy })).toMatchObject({ status: 200 });
  expect(await asked({ key: one.key, proxy })).toMatchObject(refused('CONCURRENCY_LIMIT', 429));
});

test.each([
  { desiredCapabilities: {} },
  { capabilities: null },
  { capabilities: { alwaysMatch: { 'turnpike:options': 1 } } },
  { capabilities: { firstMatch: [] } },
])('capabilities of another form are an invalid argument: %j', async (body) => {
  expect(await send('POST', '/session', body, { 'x-api-key': account.key })).toMatchObject({
    status: 400,
    value: { error: 'invalid argument', stacktrace: '', data: { code: 'BAD_REQUEST', status: 400 } },
  });
});

test('answers have the header that the standard prescribes', async () => {
  const { value } = await send('POST', '/session', capabilities({ key: account.key, proxy }));
  for (const path of ['/status', `/session/${value.sessionId}/title`, '/session/none/title'])
    expect((await fetch(gateway.url + path, { redirect: 'manual' })).headers.get('cache-control'), path).toBe(
      'no-cache',
    );
});

test('what clients do wrong is no failure of the gateway in its log and metrics', async () => {
  await send('POST', '/session', capabilities({ key: account.key }));
  const line = gateway.logs.map((text) => JSON.parse(text)).find(({ route }) => route === '/session');
  expect(line).toMatchObject({ method: 'POST', status: 400 });
  const metrics = await gateway.observation.registry.metrics();
  expect(metrics).toMatch(
    /request_duration_seconds_count\{method="POST",route="\/session",status="400"[^}]*\} 1/,
  );
  expect(metrics).not.toMatch(/route="\/session",status="5/);
});

test('a driver that does not start leaves no session, and says why', async () => {
  const value = { error: 'session not created', message: 'no such version', stacktrace: '' };
  gateway.host.answerDriver = () => ({ status: 500, body: JSON.stringify({ value }) });
  expect(await send('POST', '/session', capabilities({ key: account.key, proxy }))).toMatchObject({
    status: 500,
    value,
  });
  gateway.host.protocols = ['bidi'];
  expect(await send('POST', '/session', capabilities({ key: account.key, proxy }))).toMatchObject({
    value: { error: 'session not created', data: { code: 'PROTOCOL_NOT_OFFERED' } },
  });
  expect((await account.get('/api/browsers')).json).toEqual([]);
});

test('commands go to the host: by a redirect, or through the gateway; DELETE closes the session', async () => {
  const { value } = await send('POST', '/session', capabilities({ key: account.key, proxy }));
  const [cdpId] = value.sessionId.split('.');
  const path = `/session/${value.sessionId}`;
  const python = { 'user-agent': 'selenium/4.40.0 (python linux)' };
  expect(await send('POST', `${path}/url`, { url: 'http://a.example/' }, python)).toMatchObject({
    status: 307,
    location: `https://host.example/webdriver/${cdpId}/session/d1/url`,
  });
  const js = { 'user-agent': 'selenium/4.40.0 (js linux)' };
  gateway.host.answerDriver = ({ method, path: at, body }) => ({
    status: 200,
    body: JSON.stringify({ value: { method, at, body } }),
  });
  expect(await send('POST', `/wd/hub${path}/element/a%2Fb/click`, { a: 1 }, js)).toMatchObject({
    status: 200,
    value: { method: 'POST', at: '/session/d1/element/a%2Fb/click', body: '{"a":1}' },
  });
  expect((await send('GET', `${path}/title`, undefined, js)).value.at).toBe('/session/d1/title');
  expect(await send('DELETE', path, undefined, js)).toMatchObject({ status: 200, value: null });
  const { sessions } = (await account.get('/user/api/sessions')).json;
  expect(sessions[0]).toMatchObject({ status: 'CLOSED', endReason: 'client_close' });
  expect(await send('GET', `${path}/title`, undefined, js)).toMatchObject({
    status: 404,
    value: { error: 'invalid session id', data: { code: 'SESSION_NOT_FOUND' } },
  });
});

test("Playwright's connect creates and is redirected; another version is told which are served", async () => {
  const url = `${gateway.url.replace('http', 'ws')}/playwright?token=${account.key}&proxy=${encodeURIComponent(proxy)}`;
  const upgrade = (userAgent: string) =>
    new Promise<{ status: number; location: string | undefined; text: string }>((resolve, reject) => {
      const socket = new WebSocket(url, { headers: { 'user-agent': userAgent } });
      socket.on('unexpected-response', (_request, response) => {
        const { statusCode: status = 0, headers } = response;
        let text = '';
        response.on('data', (chunk) => (text += chunk));
        response.on('end', () => resolve({ status, location: headers.location, text }));
      });
      socket.on('error', reject);
    });
  const redirected = await upgrade('Playwright/1.65.0 (x64; debian 12) node/24.0');
  expect(redirected).toMatchObject({ status: 307 });
  expect(redirected.location).toMatch(/^wss:\/\/host\.example\/playwright\/br_[0-9a-f]{40}$/);
  const refused = await upgrade('Playwright/1.20.0 (x64; debian 12) node/24.0');
  expect(refused).toMatchObject({ status: 428 });
  expect(refused.text).toMatch(/1\.65.*connectOverCDP/);
  expect((await account.get('/api/browsers')).json).toHaveLength(1);
});
