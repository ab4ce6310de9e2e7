import { HostError, type UpstreamProxy } from '@turnpike/contract/host';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { call, startGatewayOn, type TestAccount, type TestGateway } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks();

const urlOf = (n: number, user = 'user') => `http://${user}:secret-word@198.51.100.${n}:3128`;

describeEach(quickOn('postgres'))('changes of a proxy on %s', (engine) => {
  let gateway: TestGateway;
  let account: TestAccount;

  beforeAll(async () => {
    gateway = await startGatewayOn(engine);
  });
  beforeEach(async () => {
    gateway.host.onChangeProxy = async () => {};
    gateway.host.proxyChanges.length = 0;
    account = await gateway.account({ creates_per_minute: 1000, concurrent_limit: 100 });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const send = (method: string, path: string, body?: unknown, by = account) =>
    call(gateway.url + path, {
      method,
      headers: { 'x-api-key': by.key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const save = async (name: string, url: string) => {
    expect(await send('POST', '/user/api/proxies', { name, url })).toMatchObject({ status: 200 });
  };
  const savePool = async (name: string, policy: string, members: string[]) => {
    const answer = await send('POST', '/user/api/proxy-pools', { name, policy, members });
    expect(answer, answer.text).toMatchObject({ status: 200 });
  };
  const open = async (body: object): Promise<string> => {
    const answer = await account.post('/api/browser/create', body);
    expect(answer, answer.text).toMatchObject({ status: 200 });
    return answer.json.browserId;
  };
  const change = (id: string, body: object, by = account) => send('PATCH', `/api/browser/${id}`, body, by);
  const rotate = (id: string) => send('POST', `/api/browser/${id}/rotate`, {});
  const status = async (id: string) => (await account.get(`/api/browser/${id}/status`)).json;
  const lastChange = () => gateway.host.proxyChanges.at(-1)?.proxy;
  const uses = async (id: string) => {
    const rows = await gateway.running.gateway.db
      .selectFrom('session_proxies')
      .innerJoin('saved_proxies', 'saved_proxies.id', 'session_proxies.proxy_id')
      .select('saved_proxies.name')
      .where('session_id', '=', id)
      .orderBy('saved_proxies.name')
      .execute();
    return rows.map(({ name }) => name);
  };
  const unreachable = (...hosts: string[]) => {
    gateway.host.onChangeProxy = async ({ host }: UpstreamProxy) => {
      if (hosts.includes(host)) throw new HostError('PROXY_UNREACHABLE', 'did not answer in time');
    };
  };

  test('a session gets another proxy by URL and by name, and says so', async () => {
    await save('shop', urlOf(9));
    const id = await open({ proxy: urlOf(7) });
    const before = await status(id);
    const byUrl = await change(id, { proxy: urlOf(8), unknown: 1 });
    expect(byUrl).toMatchObject({ status: 200, json: { browserId: id, cdpUrl: before.cdpUrl } });
    expect(byUrl.json.browserParams.proxy).toBe('http://user:***@198.51.100.8:3128');
    expect(lastChange()).toMatchObject({ host: '198.51.100.8', addresses: ['198.51.100.8'] });
    const byName = await change(id, { proxy: 'name:shop' });
    expect(byName.headers.get('x-proxy')).toBe('name:shop');
    expect(byName.json.browserParams).toMatchObject({ proxyName: 'shop' });
    expect(lastChange()).toMatchObject({ label: 'name:shop', password: 'secret-word' });
    expect(await status(id)).toEqual(byName.json);
    expect(await uses(id)).toEqual(['shop']);
    expect((await send('DELETE', '/user/api/proxies/shop')).status).toBe(409);
    const back = await change(id, { proxy: urlOf(7) });
    expect(back.json.browserParams).not.toHaveProperty('proxyName');
    expect(back.headers.get('x-proxy')).toBeNull();
    expect(gateway.logs.join('')).not.toContain('secret-word');
    await account.close(id);
  });

  test('a proxy that fails changes nothing, and the answer says why', async () => {
    await save('shop', urlOf(9));
    const id = await open({ proxy: urlOf(7) });
    const before = await status(id);
    unreachable('198.51.100.8', '198.51.100.9');
    for (const proxy of [urlOf(8), 'name:shop'])
      expect(await change(id, { proxy })).toMatchObject({
        status: 422,
        json: { code: 'PROXY_UNREACHABLE', detail: 'did not answer in time' },
      });
    for (const proxy of ['name:none', 'pool:none', 'nonsense', 'http://10.0.0.1:80'])
      expect(await change(id, { proxy })).toMatchObject({ status: 400, json: { code: 'PROXY_INVALID' } });
    expect(await change(id, { proxy: ' ' })).toMatchObject({ status: 400, json: { code: 'PROXY_REQUIRED' } });
    expect(await change(id, {})).toMatchObject({ status: 400, json: { code: 'BAD_REQUEST' } });
    expect(await status(id)).toEqual(before);
    expect(await uses(id)).toEqual([]);
    unreachable();
    expect(await change(id, { proxy: urlOf(8) })).toMatchObject({ status: 200 });
    await account.close(id);
  });

  test('a session that has ended, or is not the own, has no change', async () => {
    const id = await open({ proxy: urlOf(7) });
    const stranger = await gateway.account();
    expect((await change(id, { proxy: urlOf(8) }, stranger)).status).toBe(404);
    gateway.host.lose(id);
    expect(await change(id, { proxy: urlOf(8) })).toMatchObject({ status: 410 });
    await account.close(id);
    expect(await change(id, { proxy: urlOf(8) })).toMatchObject({ status: 410 });
    expect(await rotate(id)).toMatchObject({ status: 410 });
  });

  test('a session whose host has told nothing of it keeps no proxy when it ends', async () => {
    await save('shop', urlOf(9));
    const id = await open({ proxy: 'name:shop' });
    expect(await uses(id)).toEqual(['shop']);
    gateway.host.lose(id);
    await account.close(id);
    expect(await uses(id)).toEqual([]);
  });

  test('changes at once come one after the other, and the store says what the host did last', async () => {
    const id = await open({ proxy: urlOf(7) });
    let running = 0;
    let most = 0;
    gateway.host.onChangeProxy = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    const answers = await Promise.all([1, 2, 3, 4].map((n) => change(id, { proxy: urlOf(n) })));
    expect(answers.map(({ status: code }) => code)).toEqual([200, 200, 200, 200]);
    expect(most).toBe(1);
    const last = lastChange();
    expect((await status(id)).browserParams.proxy).toBe(`http://user:***@${last?.host}:3128`);
    await account.close(id);
  });

  test('an account changes so many sessions at a time, and others do not wait for it', async () => {
    const held = Promise.withResolvers<void>();
    let waiting = 0;
    gateway.host.onChangeProxy = async ({ host }) => {
      if (host !== '198.51.100.66') return;
      waiting += 1;
      await held.promise;
    };
    const ids = await Promise.all(Array.from({ length: 10 }, () => open({ proxy: urlOf(7) })));
    const answers = Promise.all(ids.map((id) => change(id, { proxy: urlOf(66) })));
    await expect.poll(() => waiting, { timeout: 20_000 }).toBe(8);
    const other = await gateway.account();
    const { browserId } = (await other.post('/api/browser/create', { proxy: urlOf(7) })).json;
    expect(await change(browserId, { proxy: urlOf(8) }, other)).toMatchObject({ status: 200 });
    expect(waiting).toBe(8);
    held.resolve();
    expect((await answers).map(({ status: code }) => code)).toEqual(ids.map(() => 200));
    for (const id of ids) await account.close(id);
    await other.close(browserId);
  });

  // SQLite has one writer anyway.
  test.runIf(engine === 'postgres')(
    'questions of one account about contexts do not take the store from others',
    async () => {
      await save('shop', urlOf(9));
      const sessionId = await open({ proxy: urlOf(7) });
      const other = await gateway.account();
      await send('POST', '/user/api/proxies', { name: 'theirs', url: urlOf(9) }, other);
      const { browserId } = (await other.post('/api/browser/create', { proxy: urlOf(7) })).json;
      const { signal } = new AbortController();
      const ask = (id: string, proxy: string) =>
        gateway.running.resolveProxy({ sessionId: id, proxy }, signal);
      const [many, waiting] = [270, 258];
      const answers: Awaited<ReturnType<typeof ask>>[] = [];
      const { db } = gateway.running.gateway;
      const asked = await db.transaction().execute(async (trx) => {
        // Nobody chooses for the account meanwhile.
        await trx.updateTable('accounts').set({ create_seq: 1 }).where('id', '=', account.id).execute();
        const all = Array.from({ length: many }, async () => answers.push(await ask(sessionId, 'name:shop')));
        await expect.poll(() => answers.length, { timeout: 20_000 }).toBe(many - waiting);
        expect(answers.every((one) => !one.ok && one.refusal.includes('Busy'))).toBe(true);
        expect(await ask(browserId, 'name:theirs')).toMatchObject({ ok: true });
        return all;
      });
      await Promise.all(asked);
      expect(answers.filter(({ ok }) => ok)).toHaveLength(waiting);
      await account.close(sessionId);
      await other.close(browserId);
    },
  );

  test('a claim of a gateway that died lapses', async () => {
    const id = await open({ proxy: urlOf(7) });
    await gateway.running.gateway.db
      .updateTable('sessions')
      .set({ proxy_change: 'dead', proxy_change_until: gateway.clock.now() - 1 })
      .where('id', '=', id)
      .execute();
    expect(await change(id, { proxy: urlOf(8) })).toMatchObject({ status: 200 });
    await account.close(id);
  });

  test('a rotation takes another proxy of the pool, and skips those that fail', async () => {
    for (const n of [1, 2, 3]) await save(`p${n}`, urlOf(n));
    await savePool('all', 'round_robin', ['p1', 'p2', 'p3']);
    const id = await open({ proxy: 'pool:all' });
    expect(await uses(id)).toEqual(['p1']);
    unreachable('198.51.100.2');
    const rotated = await rotate(id);
    expect(rotated).toMatchObject({
      status: 200,
      json: { browserParams: { proxyName: 'p3', proxyPool: 'all' } },
    });
    expect(await uses(id)).toEqual(['p1', 'p3']);
    expect((await account.get('/user/api/proxies/p2')).json.health.state).toBe('failing');
    expect((await rotate(id)).json.browserParams.proxyName).toBe('p1');
    unreachable('198.51.100.1', '198.51.100.2', '198.51.100.3');
    const none = await rotate(id);
    expect(none).toMatchObject({ status: 422, json: { code: 'PROXY_UNREACHABLE' } });
    expect(none.json.detail).toContain('p3: did not answer in time');
    expect((await status(id)).browserParams.proxyName).toBe('p1');
    await account.close(id);
  });

  test('a rotation of a template gets another session, which a key keeps', async () => {
    await save('residential', urlOf(9, 'user-{session}'));
    const sessionOf = () => lastChange()?.username?.slice('user-'.length);
    const fresh = await open({ proxy: 'name:residential' });
    const first = gateway.host.requests.at(-1)?.proxy.username;
    expect((await rotate(fresh)).status).toBe(200);
    expect(`user-${sessionOf()}`).not.toBe(first);
    const keyed = { proxy: 'name:residential', proxy_key: 'customer-42' };
    const id = await open(keyed);
    const before = gateway.host.requests.at(-1)?.proxy.username;
    unreachable('198.51.100.9');
    expect((await rotate(id)).status).toBe(422);
    const repeated = await open(keyed);
    expect(gateway.host.requests.at(-1)?.proxy.username).toBe(before);
    unreachable();
    expect((await rotate(id)).status).toBe(200);
    const rotated = `user-${sessionOf()}`;
    expect(rotated).not.toBe(before);
    const next = await open(keyed);
    expect(gateway.host.requests.at(-1)?.proxy.username).toBe(rotated);
    for (const each of [fresh, id, repeated, next]) await account.close(each);
  });

  test('there is nothing to rotate without a pool or a template', async () => {
    await save('plain', urlOf(9));
    await savePool('alone', 'random', ['plain']);
    for (const proxy of [urlOf(7), 'name:plain', 'pool:alone']) {
      const id = await open({ proxy });
      expect(await rotate(id)).toMatchObject({ status: 409, json: { code: 'NOTHING_TO_ROTATE' } });
      await account.close(id);
    }
  });

  test('a sticky pool keeps what a rotation has chosen for the key', async () => {
    for (const n of [1, 2]) await save(`p${n}`, urlOf(n));
    await savePool('sticky', 'sticky', ['p1', 'p2']);
    const wish = { proxy: 'pool:sticky', proxy_key: 'customer-42' };
    const id = await open(wish);
    expect((await rotate(id)).json.browserParams.proxyName).toBe('p2');
    const next = await open(wish);
    expect((await status(next)).browserParams.proxyName).toBe('p2');
    await account.close(id);
    await account.close(next);
  });
});
