import { request } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Answer,
  call,
  startGatewayOn,
  type TestAccount,
  type TestGateway,
} from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

watchLeaks();

const secret = 'hunter2-very-secret';
const goodProxy = `http://user:${secret}@198.51.100.7:3128`;
const documented = [200, 400, 401, 404, 410, 422];
const runs = { numRuns: 150 };

let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  gateway = await startGatewayOn('sqlite');
  account = await gateway.account({
    concurrent_limit: null,
    creates_per_minute: 1_000_000,
    browser_seconds_cap: null,
  });
});

afterAll(() => gateway[Symbol.asyncDispose]());

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    'a\r\nx-evil: 1',
    '0',
    '-1',
    '1e3',
    'true',
    'null',
    '[]',
    '{}',
    '../../etc',
    '%00',
    '%',
    '＋1',
    'x'.repeat(5000),
  ),
);
const names = fc.constantFrom(
  'os',
  'headless',
  'vnc',
  'maxLifetime',
  'browser_version_min',
  'browser_version_max',
  'browser_language',
  'ui_language',
  'screen_width_min',
  'screen_height_min',
  'force_visibility',
  'metadata',
  'proxy',
  'sessionId',
  'token',
  '__proto__',
  'constructor',
  'unknown',
);

describe('whatever is sent, the answer is a documented one', () => {
  test('for the parameters of /connect, given once or more often', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(names, nasty), { maxLength: 6 }),
        fc.boolean(),
        async (pairs, withProxy) => {
          const query = new URLSearchParams(pairs);
          if (withProxy) query.append('proxy', goodProxy);
          expectDocumented(await account.get(`/connect?${query}`), 'text/plain');
        },
      ),
      runs,
    );
  });

  test('for raw query strings', async () => {
    const raw = fc.stringMatching(/^[!-~]{0,80}$/).filter((text) => !text.includes('#'));
    await fc.assert(
      fc.asyncProperty(raw, async (query) => {
        expectDocumented(await account.get(`/connect?${query}`), 'text/plain');
      }),
      runs,
    );
  });

  test('for JSON bodies of any shape', async () => {
    const value = fc.oneof(fc.jsonValue(), nasty, fc.double(), fc.integer());
    const body = fc.dictionary(names, value, { maxKeys: 6 });
    await fc.assert(
      fc.asyncProperty(fc.oneof(body, fc.jsonValue()), fc.boolean(), async (json, withProxy) => {
        const sent = withProxy && typeof json === 'object' ? { ...json, proxy: goodProxy } : json;
        expectDocumented(await account.post('/api/browser/create', JSON.stringify(sent)), 'application/json');
        expectDocumented(await account.post('/api/browser/close', JSON.stringify(sent)), 'application/json');
      }),
      runs,
    );
  });

  test('for bodies that are no JSON, of any content type', async () => {
    const types = fc.constantFrom(
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'x/y; z=',
    );
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), types, async (bytes, type) => {
        const headers = { 'x-api-key': account.key, 'content-type': type };
        for (const path of ['/api/browser/create', '/api/browser/close']) {
          const answer = await call(gateway.url + path, {
            method: 'POST',
            headers,
            body: Buffer.from(bytes),
          });
          expectDocumented(answer, 'application/json');
          expect(answer.status).toBe(400);
        }
      }),
      runs,
    );
  });

  test('for ids', async () => {
    const id = fc.oneof(nasty, fc.stringMatching(/^br_[0-9a-f]{0,50}$/));
    await fc.assert(
      fc.asyncProperty(id, async (text) => {
        const status = await account.get(`/api/browser/${encodeURIComponent(text)}/status`);
        expect([text, status.status]).toEqual([text, 404]);
        expect((await account.connect({ sessionId: text })).status).toBe(404);
        expect((await account.close(text)).status).toBe(text === '' ? 400 : 404);
      }),
      runs,
    );
  });

  test('for keys', async () => {
    const key = fc.oneof(fc.stringMatching(/^[!-~]{1,100}$/), fc.stringMatching(/^tp_live_[0-9a-f]{64}$/));
    await fc.assert(
      fc.asyncProperty(key, async (text) => {
        const answer = await call(`${gateway.url}/user/api/me`, { headers: { 'x-api-key': text } });
        expect(answer).toMatchObject({ status: 401, json: { error: 'Invalid API key' } });
        const query = await call(`${gateway.url}/connect?${new URLSearchParams({ token: text })}`);
        expect(query).toMatchObject({ status: 401, json: { error: 'Invalid API key' } });
      }),
      runs,
    );
  });

  test('for paths and methods that do not exist', async () => {
    const paths = [
      '/',
      '/nope',
      '/api/browser',
      '/api/browser/x/y',
      '/connect/',
      '/%',
      '/%zz/status',
      '/..//etc',
    ];
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']) {
        expect([method, path, await rawStatus(method, path)]).toEqual([method, path, 404]);
      }
    }
  });
});

test('a body too large to read is refused, and counted like any other create', async () => {
  const counted = await gateway.account({ creates_per_minute: 2 });
  for (const size of [70_000, 2_000_000]) {
    const answer = await counted.post(
      '/api/browser/create',
      JSON.stringify({ proxy: goodProxy, x: 'y'.repeat(size) }),
    );
    expect(answer).toMatchObject({
      status: 400,
      json: { error: 'Malformed browser params: body must be at most 65536 bytes' },
    });
  }
  expect((await counted.create()).status).toBe(429);
});

test('no log line holds a key, a proxy password or a CDP id', async () => {
  const opened = await account.connect({ proxy: goodProxy, token: account.key });
  const cdpId = opened.text.split('/').at(-1) ?? '';
  expect(cdpId).toMatch(/^br_[0-9a-f]{40}$/);
  await account.get(`/api/browser/${cdpId}/status`);
  await account.get(`/no/such/path/${cdpId}?token=${account.key}`);
  await account.close(cdpId);
  const logs = gateway.logs.join('');
  for (const hidden of [secret, account.key, cdpId]) expect(logs).not.toContain(hidden);
  const line = JSON.parse(gateway.logs.findLast((text) => text.includes('/api/browser/close')) ?? '{}');
  expect(line).toMatchObject({
    accountId: account.id,
    sessionId: opened.headers.get('x-session-id'),
    status: 200,
  });
  expect(line.requestId).toMatch(/^[0-9a-f]{10}-[0-9a-z]+$/);
});

function expectDocumented(answer: Answer, errorType: string): void {
  expect(documented).toContain(answer.status);
  if (answer.status !== 200) {
    const early = answer.status === 401;
    expect(answer.headers.get('content-type')).toContain(early ? 'application/json' : errorType);
  }
}

function rawStatus(method: string, path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(gateway.url);
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  request({ hostname, port, method, path, headers: { 'x-api-key': account.key } }, (response) => {
    response.resume();
    resolve(response.statusCode);
  })
    .on('error', reject)
    .end();
  return promise;
}
