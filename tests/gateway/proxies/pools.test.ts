import { HostError } from '@turnpike/contract/host';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { call, startGatewayOn, type TestAccount, type TestGateway } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks();

describeEach(quickOn('sqlite'))('pools on %s', (engine) => {
  let gateway: TestGateway;
  let account: TestAccount;
  /** Ports of proxies that do not work. */
  const broken = new Set<number>();

  beforeAll(async () => {
    gateway = await startGatewayOn(engine);
    // No proxy that failed is dialled again.
    gateway.clock.stop();
    gateway.host.onOpen = async ({ proxy: own, proxyRules = [] }) => {
      for (const proxy of [own, ...proxyRules.map((rule) => rule.proxy)])
        if (broken.has(proxy.port))
          throw new HostError('PROXY_UNREACHABLE', `The proxy ${proxy.label} is closed`);
    };
  });
  beforeEach(async () => {
    broken.clear();
    account = await gateway.account({ creates_per_minute: 1000, concurrent_limit: 100 });
    for (const [index, name] of ['a', 'b', 'c'].entries())
      await account.post('/user/api/proxies', { name, url: `http://198.51.100.7:${1001 + index}` });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const send = (method: string, path: string, body?: unknown) =>
    call(gateway.url + path, {
      method,
      headers: { 'x-api-key': account.key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const save = async (policy: string, members = ['a', 'b', 'c']) => {
    const answer = await send('POST', '/user/api/proxy-pools', { name: 'de', policy, members });
    expect(answer, answer.text).toMatchObject({ status: 200 });
  };
  const create = (more: object = {}) => account.post('/api/browser/create', { proxy: 'pool:de', ...more });
  /** The members that so many creates get, one after the other. */
  const taken = async (count: number, more: object = {}) => {
    const names: string[] = [];
    for (let i = 0; i < count; i++) {
      gateway.clock.advance(1);
      const answer = await create(more);
      names.push(answer.headers.get('x-proxy') ?? answer.text);
    }
    return names.map((name) => name.replace('name:', '')).join('');
  };
  const stateOf = async (name: string) => (await account.get(`/user/api/proxies/${name}`)).json.health.state;

  test('a pool is saved, listed, read, changed and deleted', async () => {
    await save('round_robin');
    const pool = (await account.get('/user/api/proxy-pools/de')).json;
    expect(pool).toMatchObject({
      policy: 'round_robin',
      members: ['a', 'b', 'c'].map((name) => ({ name, state: 'unknown' })),
      isDefault: false,
    });
    expect((await account.get('/user/api/proxy-pools')).json).toEqual({ pools: [pool] });
    expect(await send('DELETE', '/user/api/proxies/a')).toMatchObject({
      status: 409,
      json: { code: 'PROXY_IN_USE', pools: ['de'] },
    });
    const refused = await send('PATCH', '/user/api/proxy-pools/de', { members: ['a', 'zz'] });
    expect(refused).toMatchObject({ status: 400 });
    await send('PUT', '/user/api/default-proxy', { proxy: 'pool:de' });
    const changed = await send('PATCH', '/user/api/proxy-pools/de', { name: 'eu', members: ['c', 'b'] });
    expect(changed.json).toMatchObject({
      name: 'eu',
      isDefault: true,
      members: [{ name: 'c' }, { name: 'b' }],
    });
    expect((await account.post('/api/browser/create', {})).headers.get('x-proxy')).toBe('name:c');
    expect(await send('DELETE', '/user/api/proxy-pools/eu')).toMatchObject({ status: 409 });
    await send('PUT', '/user/api/default-proxy', { proxy: null });
    expect(await send('DELETE', '/user/api/proxy-pools/eu')).toMatchObject({ status: 200 });
    expect(await send('DELETE', '/user/api/proxies/a')).toMatchObject({ status: 200 });
  });

  test('each policy takes the member that it says', async () => {
    await save('round_robin');
    expect(await taken(5)).toBe('abcab');
    await send('PATCH', '/user/api/proxy-pools/de', { policy: 'least_sessions' });
    // Two of a, two of b and one of c run.
    expect(await taken(4)).toBe('cabc');
    await send('PATCH', '/user/api/proxy-pools/de', { policy: 'least_bytes' });
    const [first] = (await account.get('/api/browsers')).json;
    await gateway.running.gateway.db
      .updateTable('sessions')
      .set({ bytes_up: 5 })
      .where('id', '=', first.browserId)
      .execute();
    expect(await taken(2)).toBe('aa');
    await send('PATCH', '/user/api/proxy-pools/de', { policy: 'random' });
    expect(await taken(5)).toMatch(/^[abc]{5}$/);
  });

  test('a key keeps its member while that works', async () => {
    await save('sticky');
    expect(await create()).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining('proxy_key') },
    });
    const keys = ['k1', 'k2', 'k3', 'k4', 'k1', 'k4', 'k2'];
    let got = '';
    for (const proxy_key of keys) got += await taken(1, { proxy_key });
    expect(got).toBe('abcaaab');
    broken.add(1001);
    // Of b and c, which have a key each, the first.
    expect(await taken(1, { proxy_key: 'k1' })).toBe('b');
    broken.clear();
    expect(await taken(1, { proxy_key: 'k1' })).toBe('b');
  });

  test('a member that does not work is left out, and the next is tried', async () => {
    await save('round_robin');
    broken.add(1001);
    const opened = await create();
    expect(opened.json.browserParams).toMatchObject({ proxyName: 'b', proxyPool: 'de' });
    expect([await stateOf('a'), await stateOf('b')]).toEqual(['failing', 'healthy']);
    const { db } = gateway.running.gateway;
    const uses = await db
      .selectFrom('session_proxies')
      .innerJoin('saved_proxies', 'saved_proxies.id', 'session_proxies.proxy_id')
      .select(['session_id', 'name'])
      .where('session_proxies.account_id', '=', account.id)
      .execute();
    expect(uses).toEqual([{ session_id: opened.json.browserId, name: 'b' }]);
    const tries = gateway.host.requests.length;
    expect(await taken(3)).toBe('cbc');
    expect(gateway.host.requests.length - tries).toBe(3);
    for (const port of [1002, 1003]) broken.add(port);
    expect(await create()).toMatchObject({
      status: 422,
      json: {
        code: 'PROXY_UNREACHABLE',
        detail: expect.stringMatching(/b: The proxy name:b is closed; .*a: The proxy name:a is closed/),
      },
    });
    broken.clear();
    // All of them fail: the one that has failed for longest is tried.
    expect(await taken(1)).toBe('a');
    expect(await stateOf('a')).toBe('healthy');
  });

  test('an address that is not allowed is a member that does not work', async () => {
    await account.post('/user/api/proxies', { name: 'inside', url: 'http://10.0.0.1:80' });
    await save('round_robin', ['inside', 'c']);
    expect(await taken(1)).toBe('c');
    expect(await stateOf('inside')).toBe('failing');
  });

  test('rules name proxies, pools and URLs', async () => {
    await save('round_robin');
    const rules = [
      { hosts: ['*.CDN.example'], proxy: 'name:b' },
      { hosts: ['img.example', 'img.example'], proxy: 'pool:de' },
      { hosts: ['x.example'], proxy: 'http://u:secret@198.51.100.9:1' },
    ];
    const proxy = 'http://198.51.100.7:9';
    const opened = await account.post('/api/browser/create', { proxy, proxy_rules: rules });
    expect(opened.json.browserParams.proxy_rules).toEqual([
      { hosts: ['*.cdn.example'], proxy: 'name:b' },
      { hosts: ['img.example'], proxy: 'pool:de' },
      { hosts: ['x.example'], proxy: 'http://u:***@198.51.100.9:1' },
    ]);
    expect(gateway.host.requests.at(-1)?.proxyRules).toMatchObject([
      { hosts: ['*.cdn.example'], proxy: { port: 1002, label: 'name:b', addresses: ['198.51.100.7'] } },
      { hosts: ['img.example'], proxy: { port: 1001, label: 'name:a' } },
      { hosts: ['x.example'], proxy: { port: 1, password: 'secret', addresses: ['198.51.100.9'] } },
    ]);
    expect(await send('DELETE', '/user/api/proxies/b')).toMatchObject({
      json: { sessions: [opened.json.browserId] },
    });
    const query = new URLSearchParams({ proxy, proxy_rules: JSON.stringify(rules) });
    expect(await account.get(`/connect?${query}`)).toMatchObject({ status: 200 });
    for (const [wrong, code] of [
      ['no JSON', 'MALFORMED_PARAMS'],
      ['{}', 'MALFORMED_PARAMS'],
      [[{ hosts: [], proxy }], 'MALFORMED_PARAMS'],
      [[{ hosts: ['http://a'], proxy }], 'MALFORMED_PARAMS'],
      [Array.from({ length: 21 }, () => ({ hosts: ['a'], proxy })), 'MALFORMED_PARAMS'],
      [[{ hosts: ['a'], proxy: 'direct' }], 'PROXY_INVALID'],
      [[{ hosts: ['a'], proxy: 'name:zz' }], 'PROXY_INVALID'],
      [[{ hosts: ['a'], proxy: 'http://10.0.0.1:80' }], 'PROXY_INVALID'],
    ])
      expect(await account.post('/api/browser/create', { proxy, proxy_rules: wrong })).toMatchObject({
        status: 400,
        json: { code },
      });
  });

  test('a rule gets the next member of its pool too', async () => {
    await save('round_robin');
    await account.post('/user/api/proxies', { name: 'own', url: 'http://198.51.100.7:1010' });
    broken.add(1001);
    const rule = (host: string) => ({ hosts: [host], proxy: 'pool:de' });
    const body = { proxy: 'name:own', proxy_rules: [rule('one.example'), rule('two.example')] };
    const opened = await account.post('/api/browser/create', body);
    expect(opened.status, opened.text).toBe(200);
    expect(gateway.host.requests.at(-1)?.proxyRules?.map(({ proxy }) => proxy.label)).toEqual([
      'name:c',
      'name:b',
    ]);
    expect(await Promise.all(['a', 'b', 'c', 'own'].map(stateOf))).toEqual([
      'failing',
      'healthy',
      'healthy',
      'healthy',
    ]);
    for (const port of [1002, 1003]) broken.add(port);
    expect(await account.post('/api/browser/create', body)).toMatchObject({
      status: 422,
      json: { detail: expect.stringMatching(/b: .*c: .*a: /) },
    });
    expect(await stateOf('own')).toBe('healthy');
    const named = { ...body, proxy_rules: [{ hosts: ['one.example'], proxy: 'name:b' }] };
    expect(await account.post('/api/browser/create', named)).toMatchObject({
      status: 422,
      json: { detail: 'The proxy name:b is closed' },
    });
  });

  test('what is wrong with a rule says nothing about the proxy of the session', async () => {
    await save('round_robin');
    const proxy_rules = [{ hosts: ['one.example'], proxy: 'http://10.0.0.1:80' }];
    const tries = gateway.host.requests.length;
    expect(await create({ proxy_rules })).toMatchObject({
      status: 400,
      json: { code: 'PROXY_INVALID', detail: 'in proxy_rules: address not allowed' },
    });
    expect(gateway.host.requests.length).toBe(tries);
    expect(await Promise.all(['a', 'b', 'c'].map(stateOf))).toEqual(['unknown', 'unknown', 'unknown']);
  });

  test('a context of a session gets a proxy of the account, and of nobody else', async () => {
    await save('round_robin');
    const { browserId: sessionId } = (await create()).json;
    const { resolveProxy } = gateway.running;
    const { signal } = new AbortController();
    expect(await resolveProxy({ sessionId, proxy: 'name:c' }, signal)).toMatchObject({
      ok: true,
      proxy: { port: 1003, label: 'name:c', addresses: ['198.51.100.7'] },
    });
    expect(await resolveProxy({ sessionId, proxy: 'http://u:p@198.51.100.8:5' }, signal)).toMatchObject({
      ok: true,
      proxy: { password: 'p', addresses: ['198.51.100.8'] },
    });
    expect(await send('DELETE', '/user/api/proxies/c')).toMatchObject({ json: { sessions: [sessionId] } });
    for (const proxy of ['name:zz', 'http://u:word@10.0.0.1:5', 'direct://'])
      expect(await resolveProxy({ sessionId, proxy }, signal)).toEqual({
        ok: false,
        refusal: expect.not.stringContaining('word'),
      });
    await account.close(sessionId);
    expect(await resolveProxy({ sessionId, proxy: 'name:c' }, signal)).toMatchObject({ ok: false });
  });
});
