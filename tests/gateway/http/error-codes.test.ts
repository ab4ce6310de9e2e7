import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import {
  accountPageRoutes,
  operatorPageRoutes,
  operatorRoutes,
  peopleRoutes,
} from '@turnpike/contract/dashboard/routes';
import { type ErrorSpec, errors } from '@turnpike/contract/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '../../../apps/gateway/src/http/openapi/openapi.ts';
import { createOperatorToken } from '../../../apps/gateway/src/operator/operator-tokens.ts';
import { type DashboardHarness, startDashboardHarness } from '../../dashboard/harness.ts';
import { fromOwnPage } from '../../dashboard/visitor.ts';
import { type Answer, call, type TestAccount } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

watchLeaks();

interface Route {
  method: string;
  path: string;
}

const document: OpenApiDocument = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8'),
);

/** An id of nothing, in the place of every parameter. */
const filled = (path: string): string => path.replaceAll(/\{\w+\}|:\w+/g, `br_${'0'.repeat(40)}`);

const apiRoutes: Route[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path: filled(path) })),
);
const dashboardRoutes: Route[] = [
  ...Object.keys({ ...peopleRoutes, ...accountPageRoutes }),
  ...Object.keys({ ...operatorRoutes, ...operatorPageRoutes }).map((key) => key.replace(' ', ' /operator')),
].map((key) => {
  const [method = '', path = ''] = key.split(' ');
  return { method, path: `/dashboard/api${filled(path)}` };
});
const openRoutes: Route[] = ['/docs', '/docs/style.css', '/openapi.json'].map((path) => ({
  method: 'GET',
  path,
}));
const routes = [...apiRoutes, ...dashboardRoutes, ...openRoutes];

let harness: DashboardHarness;
let account: TestAccount;
let cookies: string[];
let operatorToken: string;
beforeAll(async () => {
  harness = await startDashboardHarness('sqlite');
  account = await harness.gateway.account({ creates_per_minute: 1000 });
  const people = [await harness.accountPerson(), await harness.operatorPerson()];
  cookies = people.map(({ visitor }) => visitor.cookie);
  operatorToken = (await createOperatorToken(harness.gateway.running.gateway.db, 'test')).token;
});
afterAll(() => harness[Symbol.asyncDispose]());

const known = new Set(Object.values(errors).map((spec: ErrorSpec) => spec.code));

/** What is wrong with an answer, if it is a 4xx: its code is in the body, or where the contract fixes that, a header. */
function codeProblem({ status, headers, json }: Answer, { method, path }: Route): string[] {
  if (status < 400 || status >= 500) return [];
  const header = headers.get('x-error-code') ?? undefined;
  const isFixed =
    path.startsWith('/api/users/stats/') || headers.get('content-type')?.startsWith('text/plain');
  const code = isFixed || method === 'HEAD' ? header : json?.code;
  if (known.has(code) && code !== undefined && (header === undefined || header === code)) return [];
  return [`${method} ${path} ${status}: code ${code}, x-error-code ${header}`];
}

const send = ({ method, path }: Route, headers: Record<string, string> = {}, body?: string) =>
  call(harness.gateway.url + path, { method, headers, ...(body === undefined ? {} : { body }) });

/** The event stream, whose answer does not end, is read by other tests. */
const ends = ({ method, path }: Route) => !(method === 'GET' && path === '/user/api/events');

const credentials: Record<string, () => Record<string, string>[]> = {
  'no credentials': () => [{}],
  'wrong credentials': () => [
    { 'x-api-key': 'wrong' },
    { 'x-api-key': `tp_live_${'0'.repeat(64)}` },
    { authorization: 'Bearer wrong' },
    { cookie: '__Host-turnpike=wrong', ...fromOwnPage(harness.gateway.url) },
  ],
  'an id of nothing and a body that is no JSON': () => [
    { 'x-api-key': account.key },
    { authorization: `Bearer ${account.statsToken}` },
    { authorization: `Bearer ${operatorToken}` },
    ...cookies.map((cookie) => ({ cookie, ...fromOwnPage(harness.gateway.url) })),
  ],
};

describe('every 4xx has a code:', () => {
  test.each(Object.keys(credentials))('with %s', async (name) => {
    const problems: string[] = [];
    let refused = 0;
    for (const headers of credentials[name]?.() ?? []) {
      // Would end the sign-in of the others.
      const asked = routes.filter((route) => ends(route) && !route.path.includes('/sign-out'));
      for (const route of asked) {
        const answer = await send(route, headers, route.method === 'GET' ? undefined : 'no JSON');
        if (answer.status >= 400) refused += 1;
        problems.push(...codeProblem(answer, route));
      }
    }
    expect(problems).toEqual([]);
    expect(refused).toBeGreaterThan(50);
  });

  test('for a method that a path does not have, which also gets Allow', async () => {
    const { key, statsToken } = await harness.gateway.account();
    const callers = [{ 'x-api-key': key }, { authorization: `Bearer ${statsToken}` }];
    for (const path of new Set(routes.map((route) => route.path))) {
      const methods = routes.filter((each) => each.path === path).map(({ method }) => method);
      const route = { method: methods.includes('PATCH') ? 'PUT' : 'PATCH', path };
      const answers = await Promise.all(callers.map((headers) => send(route, headers)));
      expect(answers.flatMap((answer) => codeProblem(answer, route))).toEqual([]);
      // Where one of them may call the path, or anyone.
      const refusal = answers.find(({ status }) => status === 405);
      expect([path, refusal?.headers.get('allow')?.split(', ')]).toEqual([
        path,
        expect.arrayContaining(methods),
      ]);
    }
  });

  test('and a path that does not exist', async () => {
    for (const path of ['/none', '/api/none', '/dashboard/api/none', '/operator/api/none']) {
      expect((await send({ method: 'GET', path })).json).toEqual({ code: 'NOT_FOUND', error: 'Not found' });
    }
  });
});

test('a request without a key is told which header to send, under the message that the contract fixes', async () => {
  for (const path of ['/connect', '/api/browsers']) {
    expect((await send({ method: 'GET', path })).json).toEqual({
      code: 'MISSING_API_KEY',
      error: 'Missing API key',
      detail: 'Send your API key in the x-api-key header.',
    });
  }
});

test('HEAD gets what GET gets, without the body; where a GET opens a browser it is refused', async () => {
  const { key, statsToken } = await harness.gateway.account();
  const headers = [
    { 'x-api-key': key },
    { authorization: `Bearer ${operatorToken}` },
    ...cookies.map((cookie) => ({ cookie })),
  ];
  const opening = [
    '/connect',
    '/playwright',
    ...['screenshot', 'pdf', 'content'].map((format) => `/api/page/${format}`),
  ];
  const readable = routes.filter(({ method, path }) => method === 'GET' && !opening.includes(path));
  for (const { path } of readable) {
    const isStats = path.startsWith('/api/users/stats/');
    for (const each of isStats ? [{ authorization: `Bearer ${statsToken}` }] : headers) {
      const head = await send({ method: 'HEAD', path }, each);
      const isStream = path === '/user/api/events' && 'x-api-key' in each;
      const expected = isStream ? 200 : (await send({ method: 'GET', path }, each)).status;
      expect([path, head.status, head.text]).toEqual([path, expected, '']);
    }
  }
  for (const path of opening) {
    const head = await send({ method: 'HEAD', path }, { 'x-api-key': key });
    const allowed = path.startsWith('/api/page/') ? 'GET, POST' : 'GET';
    expect([path, head.status, head.headers.get('allow')]).toEqual([path, 405, allowed]);
  }
});

test.each(['/api/browser/create', '/nothing'])(
  'a client that goes away in the middle of its body to %s is no outage of the store',
  async (path) => {
    const { url, logs } = harness.gateway;
    const { key } = await harness.gateway.account(); // The tests above have rotated that of the other.
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const { length } = logs;
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: a\r\nx-api-key: ${key}\r\nexpect: 100-continue\r\n` +
        'content-type: application/json\r\ncontent-length: 1000\r\n\r\n',
    );
    await once(socket, 'data'); // It reads the body.
    socket.destroy();
    const since = () => logs.slice(length).map((line) => JSON.parse(line));
    const message = 'the client went away before its request ended';
    await expect.poll(since).toContainEqual(expect.objectContaining({ msg: message }));
    expect(since().filter(({ level }) => level >= 50)).toEqual([]);
  },
);
