import { HostError } from '@turnpike/contract/host';
import { maxSavedProxies } from '@turnpike/contract/proxies';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { resealAll } from '../../../apps/gateway/src/operator/reseal.ts';
import { Sealer } from '../../../apps/gateway/src/secrets/sealer.ts';
import {
  call,
  closeSessions,
  startGatewayOn,
  type TestAccount,
  type TestGateway,
} from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks();

const shop = 'http://user:secret-word@198.51.100.7:3128';

describeEach(quickOn('sqlite'))('saved proxies on %s', (engine) => {
  let gateway: TestGateway;
  let account: TestAccount;

  beforeAll(async () => {
    gateway = await startGatewayOn(engine);
  });
  beforeEach(async () => {
    gateway.host.onOpen = async () => {};
    account = await gateway.account({ creates_per_minute: 1000, concurrent_limit: 100 });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const send = (method: string, path: string, body?: unknown, by = account) =>
    call(gateway.url + path, {
      method,
      headers: { 'x-api-key': by.key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const save = async (name: string, url = shop, more: object = {}) => {
    const answer = await send('POST', '/user/api/proxies', { name, url, ...more });
    expect(answer, answer.text).toMatchObject({ status: 200 });
    return answer.json;
  };
  const create = (body: object) => account.post('/api/browser/create', body);
  const lastProxy = () => gateway.host.requests.at(-1)?.proxy;

  test('a proxy is saved, listed, read, changed and deleted, and its password is never shown', async () => {
    const saved = await save('shop-de', shop, { tags: ['a', 'a'], country: 'DE', pricePerGb: 4.5 });
    expect(saved).toMatchObject({
      name: 'shop-de',
      url: 'http://user:***@198.51.100.7:3128',
      tags: ['a'],
      country: 'DE',
      notes: null,
      pricePerGb: 4.5,
      isDefault: false,
      health: { state: 'unknown', checkedAt: null },
    });
    expect((await account.get('/user/api/proxies')).json).toEqual({ proxies: [saved] });
    expect((await account.get('/user/api/proxies/shop-de')).json).toEqual(saved);
    const changed = await send('PATCH', '/user/api/proxies/shop-de', {
      name: 'shop',
      country: null,
      notes: 'for the shop',
    });
    expect(changed.json).toMatchObject({ name: 'shop', country: null, notes: 'for the shop', tags: ['a'] });
    expect(await account.get('/user/api/proxies/shop-de')).toMatchObject({ status: 404 });
    expect(await send('DELETE', '/user/api/proxies/shop')).toMatchObject({
      status: 200,
      json: { name: 'shop' },
    });
    expect(await send('DELETE', '/user/api/proxies/shop')).toMatchObject({ status: 404 });
    const rows = JSON.stringify(
      await gateway.running.gateway.db.selectFrom('saved_proxies').selectAll().execute(),
    );
    expect(rows + gateway.logs.join()).not.toContain('secret-word');
  });

  test('a proxy that cannot be one is refused, and so is a name twice', async () => {
    for (const [body, code] of [
      [{ name: 'a b', url: shop }, 'BAD_REQUEST'],
      [{ name: 'a' }, 'BAD_REQUEST'],
      [{ name: 'a', url: 'http://nowhere' }, 'PROXY_INVALID'],
      [{ name: 'a', url: 'http://{country}.example:80' }, 'PROXY_INVALID'],
      [{ name: 'a', url: shop, country: 'de' }, 'BAD_REQUEST'],
      [{ name: 'a', url: shop, ca: 'no PEM' }, 'BAD_REQUEST'],
      [{ name: 'a', url: shop, trustCaInBrowser: true }, 'BAD_REQUEST'],
      [{ name: 'a', url: shop, clientCertificate: { certificate: 'x', key: 'y' } }, 'BAD_REQUEST'],
    ] as const)
      expect(await send('POST', '/user/api/proxies', body)).toMatchObject({ status: 400, json: { code } });
    await save('a');
    await save('b');
    const taken = { status: 409, json: { code: 'PROXY_NAME_TAKEN' } };
    expect(await send('POST', '/user/api/proxies', { name: 'a', url: shop })).toMatchObject(taken);
    expect(await send('PATCH', '/user/api/proxies/b', { name: 'a' })).toMatchObject(taken);
  });

  test('an account has so many proxies, also when they come at once', async () => {
    const { db } = gateway.running.gateway;
    const saved = await save('p');
    const row = await db
      .selectFrom('saved_proxies')
      .selectAll()
      .where('name', '=', saved.name)
      .executeTakeFirstOrThrow();
    const more = Array.from({ length: maxSavedProxies - 3 }, (_, i) => ({
      ...row,
      id: `${row.id}${i}`,
      name: `p${i}`,
    }));
    await db.insertInto('saved_proxies').values(more).execute();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => send('POST', '/user/api/proxies', { name: `new${i}`, url: shop })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(answers.filter(({ json }) => json.code === 'TOO_MANY_PROXIES')).toHaveLength(4);
  });

  test('a create takes a saved proxy by its name, and says which', async () => {
    await save('shop-de', shop, { country: 'DE', pricePerGb: 2.5 });
    const opened = await create({ proxy: 'name:shop-de' });
    expect(opened).toMatchObject({
      status: 200,
      json: { browserParams: { proxy: 'http://user:***@198.51.100.7:3128', proxyName: 'shop-de' } },
    });
    expect(opened.headers.get('x-proxy')).toBe('name:shop-de');
    expect(lastProxy()).toMatchObject({
      host: '198.51.100.7',
      username: 'user',
      password: 'secret-word',
      addresses: ['198.51.100.7'],
      label: 'name:shop-de',
      country: 'DE',
      priceMicros: 2_500_000,
    });
    expect((await account.get('/user/api/proxies/shop-de')).json.health.state).toBe('healthy');
    const connected = await account.get('/connect?proxy=name:shop-de');
    expect(connected.headers.get('x-proxy')).toBe('name:shop-de');
    const again = await account.get(`/connect?sessionId=${opened.json.browserId}`);
    expect(again.headers.get('x-proxy')).toBe('name:shop-de');
    const byUrl = await create({ proxy: shop });
    expect(byUrl.headers.get('x-proxy')).toBeNull();
    expect(byUrl.json.browserParams).not.toHaveProperty('proxyName');
  });

  test('a name that nobody has saved is refused after the limits, and keeps no slot', async () => {
    const bob = await gateway.account();
    await send('POST', '/user/api/proxies', { name: 'mine', url: shop }, bob);
    for (const proxy of ['name:mine', 'pool:mine', 'name:', 'name:a b', 'pool:'])
      expect(await create({ proxy })).toMatchObject({
        status: 400,
        json: { code: 'PROXY_INVALID', detail: expect.any(String) },
      });
    expect((await account.get('/user/api/me')).json.usage).toBeDefined();
    const { db } = gateway.running.gateway;
    const left = await db.selectFrom('sessions').select('id').where('account_id', '=', account.id).execute();
    expect(left).toEqual([]);
    const limited = await gateway.account({ concurrent_limit: 0 });
    const refused = await limited.post('/api/browser/create', { proxy: 'name:unknown' });
    expect(refused).toMatchObject({ status: 429, json: { code: 'CONCURRENCY_LIMIT' } });
  });

  test('the default of an account stands for a proxy that is missing', async () => {
    expect(await create({})).toMatchObject({ status: 400, json: { code: 'PROXY_REQUIRED' } });
    expect((await account.get('/user/api/default-proxy')).json).toEqual({ proxy: null });
    expect(await send('PUT', '/user/api/default-proxy', { proxy: 'name:shop' })).toMatchObject({
      status: 400,
    });
    await save('shop');
    expect(await send('PUT', '/user/api/default-proxy', { proxy: 'name:shop' })).toMatchObject({
      status: 200,
    });
    expect((await account.get('/user/api/proxies/shop')).json.isDefault).toBe(true);
    expect((await create({})).headers.get('x-proxy')).toBe('name:shop');
    expect((await create({ proxy: ' ' })).headers.get('x-proxy')).toBe('name:shop');
    expect((await create({ proxy: shop })).headers.get('x-proxy')).toBeNull();
    expect((await send('PATCH', '/user/api/proxies/shop', { name: 'shop-2' })).json.isDefault).toBe(true);
    expect((await account.get('/user/api/default-proxy')).json).toEqual({ proxy: 'name:shop-2' });
    expect((await create({})).headers.get('x-proxy')).toBe('name:shop-2');
    await closeSessions(account);
    expect(await send('DELETE', '/user/api/proxies/shop-2')).toMatchObject({
      status: 409,
      json: { code: 'PROXY_IN_USE', sessions: [], isDefault: true },
    });
    await send('PUT', '/user/api/default-proxy', { proxy: null });
    expect(await create({})).toMatchObject({ status: 400, json: { code: 'PROXY_REQUIRED' } });
    expect(await send('DELETE', '/user/api/proxies/shop-2')).toMatchObject({ status: 200 });
  });

  test('a proxy that a session uses is not deleted', async () => {
    await save('shop');
    const { browserId } = (await create({ proxy: 'name:shop' })).json;
    expect(await send('DELETE', '/user/api/proxies/shop')).toMatchObject({
      status: 409,
      json: { code: 'PROXY_IN_USE', sessions: [browserId], pools: [], isDefault: false },
    });
    await account.close(browserId);
    expect(await send('DELETE', '/user/api/proxies/shop')).toMatchObject({ status: 200 });
  });

  test('a create through a proxy that fails leaves nothing behind, and the proxy is known to fail', async () => {
    await save('shop');
    gateway.host.onOpen = async () => {
      throw new HostError('PROXY_UNREACHABLE', 'The proxy name:shop refused the connection');
    };
    expect(await create({ proxy: 'name:shop' })).toMatchObject({
      status: 422,
      json: { code: 'PROXY_UNREACHABLE', detail: 'The proxy name:shop refused the connection' },
    });
    expect((await account.get('/user/api/proxies/shop')).json.health).toMatchObject({
      state: 'failing',
      lastError: 'The proxy name:shop refused the connection',
    });
    const { db } = gateway.running.gateway;
    const uses = await db
      .selectFrom('session_proxies')
      .selectAll()
      .where('account_id', '=', account.id)
      .execute();
    expect(uses).toEqual([]);
    gateway.host.onOpen = async () => {};
    expect(await create({ proxy: 'name:shop' })).toMatchObject({ status: 200 });
    expect((await account.get('/user/api/proxies/shop')).json.health).toMatchObject({
      state: 'healthy',
      lastError: 'The proxy name:shop refused the connection',
    });
  });

  test('templates are filled from the create', async () => {
    await save('res', 'http://u-country-{country}-session-{session}:p-{key}@198.51.100.8:8000');
    const list = (await account.get('/user/api/proxies/res')).json;
    expect(list.url).toBe('http://u-country-{country}-session-{session}:***@198.51.100.8:8000');
    const proxy = 'name:res';
    expect(await create({ proxy, proxy_key: 'k' })).toMatchObject({
      status: 400,
      json: { code: 'PROXY_INVALID', detail: 'the saved proxy res needs proxy_country' },
    });
    expect(await create({ proxy, proxy_country: 'us' })).toMatchObject({
      status: 400,
      json: { detail: 'the saved proxy res needs proxy_key' },
    });
    expect(await create({ proxy, proxy_key: 'a b' })).toMatchObject({ status: 400 });
    const usernames = new Set<string | undefined>();
    for (const key of ['k/{country}', 'k/{country}', 'other']) {
      expect(await create({ proxy, proxy_key: key, proxy_country: 'us' })).toMatchObject({ status: 200 });
      expect(lastProxy()).toMatchObject({
        username: expect.stringMatching(/^u-country-us-session-[a-z0-9]{10}$/),
        password: `p-${key}`,
        country: 'US',
      });
      usernames.add(lastProxy()?.username);
    }
    expect(usernames.size).toBe(2);
    await save('fresh', 'http://u-{session}@198.51.100.8:8000');
    await create({ proxy: 'name:fresh' });
    const first = lastProxy()?.username;
    await create({ proxy: 'name:fresh' });
    expect(lastProxy()?.username).not.toBe(first);
  });

  test('sealed URLs are sealed again under a new key', async () => {
    await save('shop');
    const { db } = gateway.running.gateway;
    const row = await db
      .selectFrom('saved_proxies')
      .select('id')
      .where('account_id', '=', account.id)
      .executeTakeFirstOrThrow();
    const next = Buffer.alloc(32, 1);
    const { unopened, resealed } = await resealAll(db, new Sealer(next, [Buffer.alloc(32)]));
    // Other tests have copied rows, whose values open nowhere else.
    expect(unopened.filter((each) => each.endsWith(row.id))).toEqual([]);
    expect(resealed).toBeGreaterThan(0);
    await resealAll(db, new Sealer(Buffer.alloc(32), [next]));
    expect(await create({ proxy: 'name:shop' })).toMatchObject({ status: 200 });
  });
});
