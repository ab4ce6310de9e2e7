import { HostError } from '@turnpike/contract/host';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGatewayOn, type TestAccount, type TestGateway } from '../../fixtures/gateway/gateway.ts';
import { type BadProxies, startBadProxies } from '../../fixtures/network/bad-proxies.ts';
import { type CountingProxy, startCountingProxy } from '../../fixtures/network/counting-proxy.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks();

describeEach(quickOn('sqlite'))('checks of proxies on %s', (engine) => {
  let gateway: TestGateway;
  let account: TestAccount;
  let proxy: CountingProxy;
  let bad: BadProxies;

  beforeAll(async () => {
    gateway = await startGatewayOn(engine, { proxyAllow: '127.0.0.0/8' });
    proxy = await startCountingProxy();
    bad = await startBadProxies();
    account = await gateway.account({ creates_per_minute: 1000, concurrent_limit: 100 });
    await account.post('/user/api/proxies', { name: 'works', url: proxy.url });
    await account.post('/user/api/proxies', { name: 'refuses', url: `http://127.0.0.1:${bad.refuses}` });
    await account.post('/user/api/proxies', { name: 'inside', url: 'http://10.0.0.1:80' });
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    await bad[Symbol.asyncDispose]();
  });

  const check = (name: string, body: object = {}) => account.post(`/user/api/proxies/${name}/check`, body);
  const healthOf = async (name: string) => (await account.get(`/user/api/proxies/${name}`)).json.health;

  test('a proxy that works is told with its latency, and a URL is fetched through it', async () => {
    expect(await check('works')).toMatchObject({
      status: 200,
      json: { ok: true, latencyMs: expect.any(Number), exitIp: null, fetched: null, error: null },
    });
    expect(await healthOf('works')).toMatchObject({
      state: 'healthy',
      latencyMs: expect.any(Number),
      checkedAt: expect.any(String),
    });
    const fetched = await check('works', { url: 'http://a.test/' });
    expect(fetched.json).toMatchObject({ ok: true, fetched: { firstByteMs: expect.any(Number) } });
    expect(proxy.asked.some((asked) => asked.includes('http://a.test/'))).toBe(true);
    for (const url of ['ftp://a.test/', 'no address'])
      expect(await check('works', { url })).toMatchObject({ status: 400 });
    expect(await check('unknown')).toMatchObject({ status: 404 });
  });

  test('a proxy that fails is an answer, and is known to fail', async () => {
    expect(await check('refuses')).toMatchObject({
      status: 200,
      json: { ok: false, error: expect.stringContaining('The proxy refused') },
    });
    expect(await check('inside')).toMatchObject({ json: { ok: false, error: 'address not allowed' } });
    for (const name of ['refuses', 'inside'])
      expect(await healthOf(name)).toMatchObject({ state: 'failing', lastError: expect.any(String) });
  });

  test('a proxy that has failed is dialled again until it works', async () => {
    gateway.host.onOpen = async () => {
      throw new HostError('PROXY_UNREACHABLE', 'The proxy name:works is closed');
    };
    expect(await account.post('/api/browser/create', { proxy: 'name:works' })).toMatchObject({ status: 422 });
    expect(await healthOf('works')).toMatchObject({
      state: 'failing',
      lastError: 'The proxy name:works is closed',
    });
    gateway.clock.advance(11_000);
    await expect.poll(async () => (await healthOf('works')).state, { timeout: 60_000 }).toBe('healthy');
    const events = await gateway.running.gateway.db
      .selectFrom('events')
      .select('type')
      .where('account_id', '=', account.id)
      .execute();
    expect(events.map(({ type }) => type)).toContain('proxy.recovered');
  });
});
