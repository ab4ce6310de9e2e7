import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import fastify, { type FastifyContextConfig, type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { authenticate } from '../../../apps/gateway/src/http/authentication.ts';
import { createOperatorToken } from '../../../apps/gateway/src/operator/operator-tokens.ts';
import { shareToken } from '../../../apps/gateway/src/recordings/share-link.ts';
import { type DashboardHarness, startDashboardHarness } from '../../dashboard/harness.ts';
import { fromOwnPage } from '../../dashboard/visitor.ts';
import { extensionFiles, packZip } from '../../fixtures/extensions/packed-extension.ts';
import { call, someProxy, type TestAccount, testSealer } from '../../fixtures/gateway/gateway.ts';
import { type ScratchDirectory, scratchDirectory } from '../../fixtures/process/scratch-directory.ts';
import { makeUpRecording } from '../../fixtures/recordings/made-up-recording.ts';
import { keptIn, storeRecording } from '../../fixtures/recordings/stored-recordings.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

/** Every route that the gateway registers, with every method: what each kind of caller gets. */

watchLeaks({ wholeFile: true });

interface Route {
  method: string;
  url: string;
  config: FastifyContextConfig;
  /** The path does not have this method, which it tells who may know. */
  isRefusal: boolean;
}

/** An account with one of everything that a path can name, and the cookie of its user. */
interface Owner {
  account: TestAccount;
  cookie: string;
  name: string;
  session: string;
  snapshot: string;
  webhook: string;
  extension: string;
  crawl: string;
}

type Credentials = Record<string, string>;

const routes: Route[] = [];
const agent = new Agent({ keepAlive: true });
let directory: ScratchDirectory;
let harness: DashboardHarness;
/** One calls with its key and the other with its cookie, and each is a stranger to the other. */
let ada: Owner;
let bob: Owner;
/** On whom operators act. */
let subject: Owner;
let operator: { cookie: string; token: string };
/** Operators and tokens that are there to be removed, by the prefix of the routes that do it. */
const removable = new Map<string, { operators: string; tokens: string }>();

beforeAll(async () => {
  const collect = (message: unknown) => {
    const { fastify: app } = message as { fastify: FastifyInstance };
    app.addHook('onRoute', ({ method, url, config = { auth: 'none' } }) => {
      const isRefusal = Array.isArray(method) && config.envelope !== true;
      for (const each of [method].flat()) routes.push({ method: each, url, config, isRefusal });
    });
  };
  subscribe('fastify.initialization', collect);
  directory = await scratchDirectory('route-table');
  const options = { recordings: keptIn(directory.path), webhookAllow: '127.0.0.0/8' };
  harness = await startDashboardHarness('sqlite', options);
  unsubscribe('fastify.initialization', collect);
  const { db } = harness.gateway.running.gateway;
  const left = { archive: Buffer.from('cookies').toString('base64') };
  harness.gateway.host.onSave = async () => ({ ...left, cache: left });
  harness.gateway.host.onSnapshot = async () => ({ ...left, tabs: 1, lost: [] });
  [ada, bob, subject] = [await owner('ada'), await owner('bob'), await owner('subject')];
  const { visitor } = await harness.operatorPerson();
  operator = { cookie: visitor.cookie, token: (await createOperatorToken(db, 'test')).token };
  for (const prefix of ['/operator/api', '/dashboard/api/operator']) {
    const { email } = await harness.operatorPerson();
    const user = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();
    const { id } = await createOperatorToken(db, 'other');
    removable.set(prefix, { operators: user?.id ?? '', tokens: id });
  }
});
afterAll(async () => {
  agent.destroy();
  await harness[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

async function owner(name: string): Promise<Owner> {
  const { account, visitor } = await harness.accountPerson();
  const saved = await account.create({ profile: name, saveProfile: true, cache: name });
  await account.close(saved.json.browserId);
  const session: string = (await account.create({ record: true })).json.browserId;
  const made = makeUpRecording({ sessionId: session, minutes: 1, pictures: [Buffer.from('a JPEG')] });
  await storeRecording(harness.gateway, made);
  const snapshot: string = (await account.post(`/api/browser/${session}/snapshot`, {})).json.snapshot;
  const webhook: string = (await account.post('/user/api/webhooks', { url: 'http://127.0.0.1:1/' })).json.id;
  const uploaded = await call(`${harness.gateway.url}/user/api/extensions`, {
    method: 'POST',
    headers: key({ account }),
    body: new Uint8Array(packZip(extensionFiles())),
  });
  await call(`${harness.gateway.url}/user/api/model`, {
    method: 'PUT',
    headers: key({ account }),
    body: JSON.stringify({ url: 'http://127.0.0.1:1/', model: 'm', key: 'k' }),
  });
  await account.post('/user/api/proxies', { name, url: someProxy });
  await account.post('/user/api/proxy-pools', { name, policy: 'random', members: [name] });
  const crawl: string = (
    await account.post('/api/crawl', { urls: ['https://example.com/'], proxy: someProxy })
  ).json.id;
  return {
    account,
    cookie: visitor.cookie,
    name,
    session,
    snapshot,
    webhook,
    extension: uploaded.json.id,
    crawl,
  };
}

/** The path to something of that account. */
function pathTo(
  { url }: Route,
  { account, name, session, snapshot, webhook, extension, crawl }: Owner,
): string {
  const prefix = url.startsWith('/operator') ? '/operator/api' : '/dashboard/api/operator';
  const path = url
    .replace('/accounts/:id', `/accounts/${account.id}`)
    .replace('/operators/:id', `/operators/${removable.get(prefix)?.operators}`)
    .replace('/tokens/:id', `/tokens/${removable.get(prefix)?.tokens}`)
    .replace('/webhooks/:id', `/webhooks/${webhook}`)
    .replace('/extensions/:id', `/extensions/${extension}`)
    .replace('/snapshots/:id', `/snapshots/${snapshot}`)
    .replace('/crawl/:id', `/crawl/${crawl}`)
    .replace('/hosts/:name', '/hosts/stand-in')
    .replace(/\/(profiles|caches|proxies|proxy-pools)\/:name/, `/$1/${name}`)
    .replace(':id', session)
    .replace(':product', 'residential')
    .replaceAll(/:chunk|:picture/g, '0')
    .replace(/:name|\*/, 'a');
  return url.endsWith('/export') ? `${path}?format=ndjson` : path;
}

interface Got {
  status: number;
  code: string | undefined;
  text: string;
}

/** Sends what a page of the gateway's own would, with these credentials. By `request`: `fetch` refuses to send a TRACE. */
async function send(route: Route, to: Owner, credentials: Credentials): Promise<Got> {
  const { url } = harness.gateway;
  const { bodyType } = route.config;
  const sent = request(url + pathTo(route, to), {
    method: route.method,
    headers: { ...fromOwnPage(url), ...(bodyType && { 'content-type': bodyType }), ...credentials },
    agent,
  });
  const body = { browserId: to.session, hours: 1, holder: 'h'.repeat(16) };
  sent.end(/^P/.test(route.method) ? JSON.stringify(body) : undefined);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { statusCode: status = 0, headers } = response;
  const type = headers['content-type'] ?? '';
  // The event stream does not end by itself.
  const isStream = type.startsWith('text/event-stream');
  if (isStream) response.destroy();
  const answer = isStream ? '' : await text(response);
  const json = type.startsWith('application/json') && answer !== '' ? JSON.parse(answer) : undefined;
  // WebDriver's clients expect its own statuses and codes.
  const { status: ownStatus = status, code } = json?.value?.data ?? json ?? {};
  return { status: Number(ownStatus) || status, code: code ?? headers['x-error-code'], text: answer };
}

const isRead = ({ method }: Route) => method === 'GET' || method === 'HEAD';

const key = ({ account }: Pick<Owner, 'account'>): Credentials => ({ 'x-api-key': account.key });
const cookie = (of: { cookie: string }): Credentials => ({ cookie: of.cookie });
const bearer = (token: string): Credentials => ({ authorization: `Bearer ${token}` });
const link = ({ session }: Owner): Credentials => ({
  'x-recording-token': shareToken(testSealer, session, harness.gateway.clock.now() + 3_600_000),
});

/** What `token` means on a route. */
type Kind = 'operator' | 'statistics' | 'link' | 'key' | 'driver';
function kindOf({ url }: Route): Kind {
  if (url.startsWith('/operator/api/')) return 'operator';
  if (url.startsWith('/api/users/stats')) return 'statistics';
  if (/^(?:\/wd\/hub)?\/session$/.test(url)) return 'key';
  return /^(?:\/wd\/hub)?\/session\//.test(url) ? 'driver' : 'link';
}

const refused = {
  key: '401 MISSING_API_KEY',
  'key-or-cookie': '401 MISSING_API_KEY',
  cookie: '401 NOT_SIGNED_IN',
  operator: '401 MISSING_OPERATOR_TOKEN',
  statistics: '401 MISSING_STATS_TOKEN',
  link: '410 LINK_GONE',
  driver: '404 SESSION_NOT_FOUND',
} as const;
const refusals = new Set<string | undefined>([
  ...['MISSING_API_KEY', 'INVALID_API_KEY', 'NOT_SIGNED_IN', 'WRONG_ROLE', 'CROSS_SITE', 'LINK_GONE'],
  ...['MISSING_OPERATOR_TOKEN', 'INVALID_OPERATOR_TOKEN', 'MISSING_STATS_TOKEN', 'INVALID_STATS_TOKEN'],
]);

const authOf = (route: Route) => (route.config.auth === 'token' ? kindOf(route) : route.config.auth);

/** Calls every route in turn. Lists those whose answer differs from the expected one: a status with its code, or a rule. */
async function walk<Asked extends Route>(
  asked: readonly Asked[],
  call: (route: Asked) => Promise<Got>,
  expected: (route: Asked) => string | ((got: Got) => boolean),
): Promise<void> {
  const wrong: string[] = [];
  for (const route of asked) {
    const got = await call(route);
    const rule = expected(route);
    const seen = `${got.status} ${got.code}`;
    // The answer to a HEAD has no body, which has the code.
    const isSame =
      rule === seen || (route.method === 'HEAD' && seen.slice(0, 3) === String(rule).slice(0, 3));
    if (typeof rule === 'string' ? !isSame : !rule(got))
      wrong.push(`${route.method} ${route.url} (${route.config.auth}): ${seen} ${got.text.slice(0, 100)}`);
  }
  expect(wrong).toEqual([]);
  expect(asked.length).toBeGreaterThan(0);
}

const isIn = ({ status, code }: Got) => status !== 401 && status !== 403 && !refusals.has(code);
const guarded = () => routes.filter(({ config }) => config.auth !== 'none');
/** In its path, or in its body. */
const namesThing = ({ url }: Route) => /:(id|name)/.test(url) || url === '/api/browser/close';

test('a route that does not say how it knows its caller cannot be registered', async () => {
  const app = fastify();
  const none = { isPresented: () => false, authenticate: async () => {} };
  authenticate(app, async () => undefined, none);
  expect(() => app.get('/a', () => '')).toThrow('GET /a does not say who may call it');
  expect(() => app.get('/b', { config: { auth: 'cookie' } }, () => '')).toThrow('role for a cookie');
  app.get('/c', { config: { auth: 'cookie', role: 'either' } }, () => '');
  await app.close();
});

test('the document names the credentials that a route takes', () => {
  expect(routes.length).toBeGreaterThan(500);
  const schemes = {
    key: 'apiKey',
    'key-or-cookie': 'apiKey',
    operator: 'operatorToken',
    statistics: 'statsToken',
  };
  for (const route of routes) {
    const { api } = route.config;
    if (!api) continue;
    const scheme = (schemes as Record<string, string>)[authOf(route)];
    expect(api.security[0], `${route.method} ${route.url}`).toBe(scheme);
  }
});

test('open to everybody are the guides, signs of life, the keys of receipts and the ways to sign in', () => {
  const open = routes.filter(({ method, config, isRefusal }) => {
    return config.auth === 'none' && !isRefusal && method !== 'HEAD';
  });
  const others = open.filter(({ url }) => !/^\/docs(\/|$)/.test(url));
  expect(others.map(({ method, url }) => `${method} ${url}`).sort()).toEqual([
    'GET /.well-known/turnpike-receipt-keys',
    'GET /dashboard/api/sign-in/options',
    'GET /health',
    'GET /health/ready',
    'GET /openapi.json',
    'GET /status',
    'GET /wd/hub/status',
    'POST /dashboard/api/link/look',
    'POST /dashboard/api/link/use',
    'POST /dashboard/api/password-reset',
    'POST /dashboard/api/sign-in',
    'POST /dashboard/api/sign-out',
  ]);
});

test('nobody gets anything but what is open to everybody', async () => {
  await walk(
    routes,
    (route) => send(route, ada, {}),
    (route) => {
      const auth = authOf(route);
      return auth === 'none' ? isIn : refused[auth];
    },
  );
});

test("a wrong credential is no better than none, and another kind's is not taken", async () => {
  const { statsToken } = ada.account;
  const others: Record<string, Credentials> = {
    key: { ...cookie(ada), ...link(ada), ...bearer(operator.token) },
    'key-or-cookie': { ...link(ada), ...bearer(operator.token) },
    cookie: { ...key(ada), ...link(ada), ...bearer(operator.token) },
    operator: { ...key(ada), ...cookie(operator), ...link(ada) },
    statistics: { ...key(ada), ...cookie(ada), ...link(ada) },
    link: { ...key(ada), ...cookie(ada), ...bearer(statsToken) },
    driver: { ...key(ada), ...cookie(ada), ...bearer(operator.token) },
  };
  await walk(
    guarded(),
    (route) => send(route, ada, others[authOf(route)] ?? {}),
    (route) => refused[authOf(route) as keyof typeof refused],
  );
  const wrong: Record<string, [Credentials, string]> = {
    key: [{ 'x-api-key': `tp_live_${'0'.repeat(64)}` }, '401 INVALID_API_KEY'],
    // The key counts, even beside a cookie that would do.
    'key-or-cookie': [{ ...cookie(ada), 'x-api-key': 'wrong' }, '401 INVALID_API_KEY'],
    cookie: [{ cookie: `__Host-turnpike=${'0'.repeat(64)}` }, '401 NOT_SIGNED_IN'],
    operator: [bearer(statsToken), '401 INVALID_OPERATOR_TOKEN'],
    statistics: [bearer(operator.token), '401 INVALID_STATS_TOKEN'],
    link: [{ 'x-recording-token': 'wrong' }, '410 LINK_GONE'],
    driver: [key(bob), '404 SESSION_NOT_FOUND'],
  };
  await walk(
    guarded(),
    (route) => send(route, ada, wrong[authOf(route)]?.[0] ?? {}),
    (route) => wrong[authOf(route)]?.[1] ?? '',
  );
});

test('a key as a bearer token is judged as one in x-api-key, which counts first, and counts before a cookie', async () => {
  const byKey = guarded().filter(({ config }) => config.auth === 'key' || config.auth === 'key-or-cookie');
  const wrong = bearer(`tp_live_${'0'.repeat(64)}`);
  await walk(
    byKey,
    (route) => send(route, ada, { ...cookie(ada), ...wrong }),
    () => '401 INVALID_API_KEY',
  );
  await walk(
    byKey,
    (route) => send(route, ada, { ...bearer(ada.account.key), 'x-api-key': 'wrong' }),
    () => '401 INVALID_API_KEY',
  );
  await walk(
    byKey.filter((route) => isRead(route) && !route.isRefusal),
    (route) => send(route, ada, bearer(ada.account.key)),
    () => isIn,
  );
});

test('a token of another kind that is sent as an API key is named', async () => {
  const ask = (headers: Credentials) => call(`${harness.gateway.url}/user/api/me`, { headers });
  const stats = { error: 'Invalid API key', detail: expect.stringContaining('This is a statistics token') };
  expect((await ask({ 'x-api-key': ada.account.statsToken })).json).toMatchObject(stats);
  expect((await ask(bearer(ada.account.statsToken))).json).toMatchObject({
    ...stats,
    error: 'Missing API key',
  });
  const told = (await ask({ 'x-api-key': operator.token })).json;
  expect(told.detail).toContain('This is an operator token');
  expect((await ask({ 'x-api-key': 'tp_live_1' })).json).toEqual({
    code: 'INVALID_API_KEY',
    error: 'Invalid API key',
  });
});

test('the wrong role is refused', async () => {
  const ofRole = routes.filter(
    ({ config }) => config.auth === 'key-or-cookie' || (config.auth === 'cookie' && config.role !== 'either'),
  );
  await walk(
    ofRole,
    (route) => send(route, ada, cookie(route.config.role === 'operator' ? ada : operator)),
    () => '403 WRONG_ROLE',
  );
});

test("another site's page changes nothing with the right cookie", async () => {
  const changing = routes.filter(
    (route) => !route.isRefusal && !isRead(route) && /cookie/.test(route.config.auth),
  );
  await walk(
    changing,
    (route) => {
      const from = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      return send(route, ada, { ...cookie(route.config.role === 'operator' ? operator : ada), ...from });
    },
    () => '403 CROSS_SITE',
  );
});

/** With each way to sign in that the account's routes take. */
const ways: Record<string, (who: Owner) => Credentials> = {
  key,
  cookie,
  'key as a bearer token': ({ account }) => bearer(account.key),
};

test.each(Object.keys(ways))(
  "another account's %s finds nothing of the account, and reads nothing of it",
  async (way) => {
    const takes = ({ config }: Route) =>
      (config.auth === way.split(' ')[0] || config.auth === 'key-or-cookie') && config.role !== 'operator';
    // What names nothing and changes something is about the caller.
    const asks = (route: Route) => isRead(route) || namesThing(route);
    const [owned, stranger] = way === 'cookie' ? [bob, ada] : [ada, bob];
    await walk(
      routes.filter((route) => takes(route) && asks(route) && !route.isRefusal),
      (route) => send(route, owned, ways[way]?.(stranger) ?? {}),
      (route) => (got) => {
        const isFound = [owned.account.email, owned.account.id, owned.webhook, owned.extension].some((its) =>
          got.text.includes(its),
        );
        return !isFound && (namesThing(route) ? got.status === 404 : isIn(got));
      },
    );
  },
);

/** What ends or removes something that the others need comes last. */
const lastUrls = ['/close', '/remove', '/regenerate-key', '/password', '/sign-out', '/sign-out-everywhere'];
const lateness = ({ method, url, isRefusal }: Route) =>
  isRefusal
    ? -2
    : method === 'DELETE'
      ? Number(url.endsWith('/session/:id'))
      : lastUrls.findIndex((end) => url.endsWith(end));

test('who may call is let in, and finds what the path names', async () => {
  const right = (route: Route): [Owner, Credentials][] => {
    const auth = authOf(route);
    if (auth === 'none') return [[ada, {}]];
    if (auth === 'key') return [[ada, key(ada)]];
    if (auth === 'key-or-cookie')
      return [
        [ada, key(ada)],
        [bob, cookie(bob)],
      ];
    if (auth === 'cookie')
      return route.config.role === 'operator' ? [[subject, cookie(operator)]] : [[bob, cookie(bob)]];
    if (auth === 'operator') return [[subject, bearer(operator.token)]];
    if (auth === 'driver')
      return [[{ ...ada, session: driverIds[Number(route.url.startsWith('/wd'))] ?? '' }, {}]];
    return auth === 'statistics' ? [[ada, bearer(ada.account.statsToken)]] : [[ada, link(ada)]];
  };
  // The id of a WebDriver session is a secret that needs no key.
  const driverIds = await Promise.all(
    [1, 2].map(async () => `${(await ada.account.create()).json.cdpUrl.split('/').at(-1)}.d1`),
  );
  const calls = routes
    .flatMap((route) => right(route).map(([whose, credentials]) => ({ ...route, whose, credentials })))
    .toSorted((a, b) => lateness(a) - lateness(b));
  await walk(
    calls,
    (each) => send(each, each.whose, each.credentials),
    ({ isRefusal, url, config }) =>
      isRefusal
        ? '405 METHOD_NOT_ALLOWED'
        : (got) => {
            // The stand-in host has no files, and guides and statistics have names of their own.
            const isThere =
              got.status !== 404 || config.auth === 'none' || url.startsWith('/api/users/stats');
            return isIn(got) && isThere && (got.status < 500 || /\/files/.test(url));
          },
  );
});
