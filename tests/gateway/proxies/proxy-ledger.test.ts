import { noUse } from '@turnpike/contract/traffic';
import { verifyReceipt } from '@turnpike/process/receipt-signature';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { call, startGatewayOn, type TestAccount, type TestGateway } from '../../fixtures/gateway/gateway.ts';
import { proxyUse, reportOf, storeProxy } from '../../fixtures/gateway/saved-proxies.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks();

const gigabyte = 1_000_000_000;

describeEach(quickOn('postgres'))('proxies in the ledger on %s', (engine) => {
  let gateway: TestGateway;
  let account: TestAccount;

  beforeAll(async () => {
    gateway = await startGatewayOn(engine);
  });
  beforeEach(async () => {
    account = await gateway.account({ creates_per_minute: 1000, concurrent_limit: 100 });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const open = async (): Promise<string> => (await account.create()).json.browserId;
  const read = async (id: string) => (await account.get(`/api/browser/${id}/traffic`)).json;
  const store = (name: string, values = {}) => storeProxy(gateway, account.id, name, values);
  const today = () => new Date(gateway.clock.now()).toISOString().slice(0, 10);

  const own = proxyUse('name:own', {
    bytesUp: 100,
    bytesDown: gigabyte - 100,
    connections: 7,
    failures: { timeout: 1 },
    firstBytes: 4,
    firstByteMs: 1000,
    priceMicros: 8_000_000,
    exitChanges: 2,
  });
  const cheap = proxyUse('name:cheap', { bytesDown: 3 * gigabyte, connections: 2, priceMicros: 500_000 });

  /** Both have carried something from one destination. */
  function twoProxies() {
    const dates = { firstAgoMs: 2000, lastAgoMs: 1000 };
    const whole = reportOf([own, cheap]);
    const shared = { host: 'a.test', port: 443, ...dates };
    return {
      ...whole,
      destinations: [
        { ...shared, ...noUse(), tunnels: 2, bytesDown: 3 * gigabyte, proxy: 'name:cheap' },
        { ...shared, ...noUse(), tunnels: 7, bytesUp: 100, bytesDown: gigabyte - 100, proxy: 'name:own' },
      ],
      other: noUse(),
    };
  }

  test('each proxy has its bytes and its cost, live and at the end, and one for all is compared', async () => {
    const id = await open();
    gateway.host.carry(id, twoProxies());
    const expected = {
      proxies: [
        {
          proxy: 'name:own',
          bytesUp: 100,
          bytesDown: gigabyte - 100,
          connections: 7,
          failures: { timeout: 1 },
          cost: 8,
        },
        {
          proxy: 'name:cheap',
          bytesUp: 0,
          bytesDown: 3 * gigabyte,
          connections: 2,
          failures: {},
          cost: 1.5,
        },
      ],
      cost: 9.5,
      costOfOneProxy: 32,
    };
    expect(await read(id)).toMatchObject({ live: true, ...expected });
    await account.close(id);
    const final = await read(id);
    expect(final).toMatchObject({ live: false, ...expected });
    expect(final.destinations.map(({ proxy }: { proxy: string }) => proxy)).toEqual([
      'name:cheap',
      'name:own',
    ]);
    const { days } = (await account.get('/user/api/traffic')).json;
    expect(days[0].destinations).toEqual([
      {
        host: 'a.test',
        port: 443,
        requests: 0,
        tunnels: 9,
        refused: 0,
        bytesUp: 100,
        bytesDown: 4 * gigabyte - 100,
      },
    ]);
    const headers = { 'x-api-key': account.key, accept: 'text/csv' };
    const { text } = await call(`${gateway.url}/api/browser/${id}/traffic`, { headers });
    expect(text.split('\r\n').map((line) => line.split(',').at(-1))).toEqual([
      ...['proxy', 'name:cheap', 'name:own'],
      ...['', ''],
    ]);
  });

  test('a receipt names the proxy of each destination, without user names, and verifies', async () => {
    const id = await open();
    const report = twoProxies();
    const masked = 'http://alice:***@proxy.example:8000';
    const [first, second] = report.destinations;
    gateway.host.carry(id, {
      ...report,
      destinations: [first, { ...second, proxy: masked }] as typeof report.destinations,
      proxies: [{ ...own, proxy: masked }, cheap],
    });
    await account.close(id);
    const keys = (await call(`${gateway.url}/.well-known/turnpike-receipt-keys`)).text;
    const { text } = await account.get(`/api/browser/${id}/receipt`);
    const { traffic } = verifyReceipt(text, keys);
    const shown = 'http://***:***@proxy.example:8000';
    expect(traffic.destinations.map(({ proxy }) => proxy)).toEqual(['name:cheap', shown]);
    expect(traffic.proxies?.map(({ proxy, cost }) => [proxy, cost])).toEqual([
      [shown, 8],
      ['name:cheap', 1.5],
    ]);
    expect(traffic).toMatchObject({ cost: 9.5, costOfOneProxy: 32 });
    const forged = text.replace('"costOfOneProxy":32', '"costOfOneProxy":33');
    expect(() => verifyReceipt(forged, keys)).toThrow('does not fit');
  });

  test('proxies that do not add up are dropped, and the destinations stay', async () => {
    const id = await open();
    gateway.host.carry(id, { ...twoProxies(), proxies: [own] });
    gateway.host.carry(id, { ...twoProxies(), proxies: [own, { ...cheap, bytesUp: 1 }] });
    await account.close(id);
    expect(await read(id)).toMatchObject({
      proxies: [],
      cost: null,
      costOfOneProxy: null,
      destinations: [{ proxy: 'name:cheap' }, { proxy: 'name:own' }],
    });
  });

  test('a saved proxy and a pool have days, in which prices are those of the time', async () => {
    const { db } = gateway.running.gateway;
    const [ownId] = [await store('own'), await store('cheap'), await store('idle')];
    const poolId = `${account.id}-pool`;
    const at = gateway.clock.now();
    await db
      .insertInto('proxy_pools')
      .values({
        id: poolId,
        account_id: account.id,
        name: 'de',
        policy: 'random',
        created_at: at,
        updated_at: at,
      })
      .execute();
    await db
      .insertInto('proxy_pool_members')
      .values({ pool_id: poolId, proxy_id: ownId, position: 0 })
      .execute();
    for (const pool_id of [poolId, null]) {
      const id = await open();
      await db.updateTable('sessions').set({ proxy_id: ownId, pool_id }).where('id', '=', id).execute();
      await db
        .insertInto('session_proxies')
        .values({ session_id: id, proxy_id: ownId, account_id: account.id })
        .execute();
      gateway.host.carry(id, twoProxies());
      await account.close(id);
    }
    const usage = async (path: string) => {
      const { json } = await account.get(`/user/api/${path}/usage?from=${today()}`);
      return json.days;
    };
    const once = {
      date: today(),
      sessions: 1,
      connections: 7,
      failures: 1,
      firstByteMs: 250,
      exitChanges: 2,
      bytesUp: 100,
      bytesDown: gigabyte - 100,
      cost: 8,
    };
    const twice = {
      ...once,
      sessions: 2,
      connections: 14,
      failures: 2,
      exitChanges: 4,
      bytesUp: 200,
      bytesDown: 2 * gigabyte - 200,
      cost: 16,
    };
    expect(await usage('proxies/own')).toEqual([twice]);
    expect(await usage('proxy-pools/de')).toEqual([once]);
    expect(await usage('proxies/cheap')).toMatchObject([{ sessions: 2, firstByteMs: null, cost: 3 }]);
    expect(await usage('proxies/idle')).toMatchObject([{ sessions: 0, bytesDown: 0, cost: 0 }]);
    const left = await db
      .selectFrom('session_proxies')
      .select('session_id')
      .where('account_id', '=', account.id)
      .execute();
    expect(left).toEqual([]);
    expect((await account.get('/user/api/proxies/own/usage')).json.days).toHaveLength(30);
  });

  test('days of what is not there, or not the own, are not found, and ranges are bounded', async () => {
    await store('own');
    const stranger = await gateway.account();
    expect((await stranger.get('/user/api/proxies/own/usage')).status).toBe(404);
    expect((await account.get('/user/api/proxy-pools/own/usage')).status).toBe(404);
    expect((await account.get(`/user/api/proxies/${encodeURIComponent('no name')}/usage`)).status).toBe(404);
    expect((await account.get('/user/api/proxies/own/usage?from=2026-01-01&to=2026-06-01')).status).toBe(400);
    expect((await account.get('/user/api/proxies/own/usage?from=yesterday')).status).toBe(400);
  });
});
