import { addUse, noUse, type OtherUse, type TrafficReport } from '@turnpike/contract/traffic';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { call, startGatewayOn, type TestAccount, type TestGateway } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks();

/** A report whose sums are its bytes: these destinations by name, and what is in `other`. */
function report(
  destinations: Record<string, Partial<OtherUse>>,
  {
    other = {},
    ...more
  }: { other?: Partial<OtherUse>; maxBytesReached?: boolean; bytesFromCache?: number } = {},
): TrafficReport {
  const named = Object.entries(destinations).map(([host, use]) => ({
    host,
    port: 443,
    ...noUse(),
    ...use,
    firstAgoMs: 2000,
    lastAgoMs: 1000,
  }));
  const sum = noUse();
  const rest = { ...noUse(), ...other };
  for (const use of [...named, rest]) addUse(sum, use);
  const { bytesUp, bytesDown } = sum;
  const whole = { bytesUp, bytesDown, bytesFromCache: 0, maxBytesReached: false, ...more };
  return { ...whole, destinations: named, other: rest };
}

describeEach(quickOn('postgres'))('traffic on %s', (engine) => {
  let gateway: TestGateway;
  let account: TestAccount;

  beforeEach(async () => {
    gateway = await startGatewayOn(engine);
    account = await gateway.account({ creates_per_minute: 1000 });
  });
  afterEach(() => gateway[Symbol.asyncDispose]());

  const open = async (params = {}): Promise<string> => (await account.create(params)).json.browserId;
  const read = async (id: string) => (await account.get(`/api/browser/${id}/traffic`)).json;
  const record = async (id: string) =>
    (await account.get('/user/api/sessions')).json.sessions.find(
      ({ browserId }: { browserId: string }) => browserId === id,
    );
  const beat = () => gateway.running.leases.tick();
  const today = () => new Date(gateway.clock.now()).toISOString().slice(0, 10);

  function expectSums(traffic: {
    bytesUp: number;
    bytesDown: number;
    destinations: OtherUse[];
    other: OtherUse;
  }) {
    const sum = noUse();
    for (const use of [...traffic.destinations, traffic.other]) addUse(sum, use);
    const { bytesUp, bytesDown } = traffic;
    expect(sum).toMatchObject({ bytesUp, bytesDown });
  }

  test('is live while the session runs, final when it has ended, and gone when the session is', async () => {
    const id = await open({ max_bytes: 1_000_000 });
    expect(await read(id)).toMatchObject({ status: 'ACTIVE', live: false, bytesUp: 0, destinations: [] });
    gateway.host.carry(id, report({ 'a.test': { tunnels: 1, bytesUp: 100, bytesDown: 2000 } }));
    expect(await read(id)).toMatchObject({
      browserId: id,
      live: true,
      maxBytes: 1_000_000,
      maxBytesReached: false,
      estimate: null,
      bytesUp: 100,
      bytesDown: 2000,
      destinations: [{ host: 'a.test', port: 443, tunnels: 1, requests: 0, bytesUp: 100, bytesDown: 2000 }],
    });
    const used = { 'a.test': { tunnels: 1, bytesUp: 100, bytesDown: 2000, refused: { proxy_failure: 1 } } };
    const other = { requests: 3, bytesUp: 10, bytesDown: 20, refused: { allow_hosts: 4 } };
    gateway.host.carry(id, report(used, { other, maxBytesReached: true, bytesFromCache: 77 }));
    await account.close(id);
    const final = await read(id);
    expect(final).toMatchObject({
      status: 'CLOSED',
      live: false,
      bytesUp: 110,
      bytesDown: 2020,
      bytesFromCache: 77,
      maxBytesReached: true,
      refused: { allow_hosts: 4, proxy_failure: 1 },
      other: { requests: 3, bytesUp: 10, bytesDown: 20 },
    });
    expectSums(final);
    expect(Date.parse(final.destinations[0].lastAt) - Date.parse(final.destinations[0].firstAt)).toBe(1000);
    gateway.clock.advance(4 * 3_600_000);
    expect((await account.get(`/api/browser/${id}/traffic`)).status).toBe(404);
    await beat();
    const left = await gateway.running.gateway.db.selectFrom('session_traffic').selectAll().execute();
    expect(left).toEqual([]);
    expect(await record(id)).toMatchObject({
      traffic: { maxBytesReached: true, destinations: [{ host: 'a.test' }], other: { bytesUp: 10 } },
    });
  });

  test('of a host that is lost is what its last heartbeat said, and sums up to the same bytes', async () => {
    const id = await open();
    gateway.host.carry(id, report({ 'a.test': { bytesUp: 5, bytesDown: 50 } }));
    await beat();
    gateway.host.carry(id, report({ 'a.test': { bytesUp: 6, bytesDown: 60 }, 'b.test': { bytesDown: 1 } }));
    await beat();
    gateway.host.carry(id, report({ 'a.test': { bytesUp: 600, bytesDown: 6000 } }));
    gateway.host.lose(id);
    gateway.clock.advance(60_000);
    await beat();
    await expect.poll(async () => (await record(id)).status).toBe('DEAD');
    const { bytesUp, bytesDown, traffic } = await record(id);
    expect({ bytesUp, bytesDown }).toEqual({ bytesUp: 6, bytesDown: 61 });
    expectSums({ bytesUp, bytesDown, ...traffic });
    const final = await read(id);
    expect(final).toMatchObject({ live: false, destinations: [{ host: 'a.test' }, { host: 'b.test' }] });
    expectSums(final);
  });

  test('of a host of an earlier version, which says no destinations, is in `other`', async () => {
    const id = await open();
    gateway.host.transfer(id, 40, 400);
    await beat();
    expect(await read(id)).toMatchObject({
      live: false,
      bytesUp: 40,
      bytesDown: 400,
      destinations: [],
      other: { bytesUp: 40, bytesDown: 400 },
    });
    await account.close(id);
    expect((await record(id)).traffic).toMatchObject({
      destinations: [],
      other: { bytesUp: 40, bytesDown: 400 },
    });
  });

  test('is refusals too, where no byte has gone', async () => {
    const id = await open();
    gateway.host.carry(id, report({ 'a.test': { refused: { allow_hosts: 1 } } }));
    await beat();
    gateway.host.lose(id);
    gateway.clock.advance(60_000);
    await beat();
    await expect.poll(async () => (await record(id)).status).toBe('DEAD');
    expect((await record(id)).traffic.refused).toEqual({ allow_hosts: 1 });
  });

  test('is a CSV file for those who accept one', async () => {
    const id = await open();
    gateway.host.carry(
      id,
      report({ 'a.test': { tunnels: 2, bytesUp: 5, bytesDown: 50 } }, { other: { requests: 1 } }),
    );
    await account.close(id);
    const headers = { 'x-api-key': account.key, accept: 'text/csv' };
    const { text, headers: sent } = await call(`${gateway.url}/api/browser/${id}/traffic`, { headers });
    expect(sent.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(text.split('\r\n')).toEqual([
      'host,port,requests,tunnels,bytes_up,bytes_down,refused,first_used,last_used,proxy',
      expect.stringMatching(/^a\.test,443,0,2,5,50,0,\d{4}-.*Z,\d{4}-.*Z,$/),
      ',,1,0,0,0,0,,,',
      '',
    ]);
    const days = await call(`${gateway.url}/user/api/traffic`, { headers });
    expect(days.text.split('\r\n')).toEqual([
      'date,host,port,requests,tunnels,bytes_up,bytes_down,refused',
      `${today()},a.test,443,0,2,5,50,0`,
      `${today()},,,1,0,0,0,0`,
      '',
    ]);
  });

  test('of an account is by day and destination, the largest first, and adds up to its usage', async () => {
    for (const [host, bytesDown] of [
      ['a.test', 10],
      ['b.test', 500],
      ['a.test', 20],
      ['c.test', 1],
    ] as const) {
      const id = await open();
      gateway.host.carry(
        id,
        report({ [host]: { tunnels: 1, bytesUp: 1, bytesDown } }, { bytesFromCache: 3 }),
      );
      await account.close(id);
    }
    const stranger = await gateway.account();
    expect((await stranger.get('/user/api/traffic')).json.days).toEqual([]);
    const first = today();
    gateway.clock.advance(86_400_000);
    const id = await open();
    gateway.host.carry(id, report({ 'a.test': { bytesUp: 7, refused: { block: 2 } } }));
    await account.close(id);
    const use = { requests: 0, tunnels: 1, refused: 0 };
    const answer = (await account.get('/user/api/traffic?limit=2')).json;
    expect(answer.days).toEqual([
      {
        date: today(),
        bytesUp: 7,
        bytesDown: 0,
        bytesFromCache: 0,
        refused: 2,
        destinations: [
          { host: 'a.test', port: 443, requests: 0, tunnels: 0, bytesUp: 7, bytesDown: 0, refused: 2 },
        ],
        other: { requests: 0, tunnels: 0, bytesUp: 0, bytesDown: 0, refused: 0 },
      },
      {
        date: first,
        bytesUp: 4,
        bytesDown: 531,
        bytesFromCache: 12,
        refused: 0,
        destinations: [
          { host: 'b.test', port: 443, ...use, bytesUp: 1, bytesDown: 500 },
          { host: 'a.test', port: 443, ...use, tunnels: 2, bytesUp: 2, bytesDown: 30 },
        ],
        other: { ...use, bytesUp: 1, bytesDown: 1 },
      },
    ]);
    const { days } = (await account.get('/user/api/usage')).json;
    expect(days.map(({ bytesUp, bytesDown }: OtherUse) => ({ bytesUp, bytesDown }))).toEqual([
      { bytesUp: 4, bytesDown: 531 },
      { bytesUp: 7, bytesDown: 0 },
    ]);
    expect((await account.get(`/user/api/traffic?from=${first}&to=${first}`)).json.days).toHaveLength(1);
  });

  test('of a day adds up to its usage, also with sessions that a gateway without traffic ended', async () => {
    const { db } = gateway.running.gateway;
    const before = today();
    const used = { account_id: account.id, sessions: 1, browser_seconds: 30 };
    await db
      .insertInto('usage_days')
      .values({ ...used, day: before, bytes_up: 40, bytes_down: 400 })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'day']).doUpdateSet((e) => ({
          bytes_up: e('usage_days.bytes_up', '+', e.ref('excluded.bytes_up')),
          bytes_down: e('usage_days.bytes_down', '+', e.ref('excluded.bytes_down')),
        })),
      )
      .execute();
    const usage = (await account.get('/user/api/usage')).json.days.at(-1);
    const [day] = (await account.get('/user/api/traffic')).json.days;
    expect(day).toMatchObject({ date: before, bytesUp: usage.bytesUp, bytesDown: usage.bytesDown });
    expectSums(day);
    expect(day.other.bytesDown).toBeGreaterThanOrEqual(400);
  });

  test('of a day keeps the largest destinations by name, and loses nothing of the others', async () => {
    const total = 2500;
    for (let start = 0; start < total; start += 500) {
      const id = await open();
      const hosts = Array.from({ length: 500 }, (_, i) => `h${start + i}.test`);
      gateway.host.carry(
        id,
        report(Object.fromEntries(hosts.map((host, i) => [host, { tunnels: 1, bytesDown: start + i }]))),
      );
      await account.close(id);
    }
    const [day] = (await account.get(`/user/api/traffic?from=${today()}&limit=1000`)).json.days;
    expect(day.destinations).toHaveLength(1000);
    expect(day.destinations[0]).toMatchObject({ host: 'h2499.test', bytesDown: 2499 });
    expect(day).toMatchObject({ bytesDown: (total * (total - 1)) / 2 });
    expectSums(day);
    expect(day.destinations.length + day.other.tunnels).toBe(total);
    const { count } = await gateway.running.gateway.db
      .selectFrom('traffic_days')
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(Number(count)).toBeLessThanOrEqual(2001);
  });

  test('of an account is refused with a bad query', async () => {
    for (const [query, rule] of [
      ['from=2026-02-30', 'from must be a calendar date (YYYY-MM-DD)'],
      ['from=2026-02-02&to=2026-02-01', 'to must not be before from'],
      ['from=2020-01-01&to=2026-02-01', 'Range too large: max 366 days'],
      ['limit=0', 'limit must be an integer from 1 to 1000'],
      ['limit=1001', 'limit must be an integer from 1 to 1000'],
      ['from=2026-01-01&to=2026-12-31&limit=1000', 'limit must be at most 100 for 365 days'],
    ]) {
      const { status, json } = await account.get(`/user/api/traffic?${query}`);
      expect({ status, error: json.error }).toEqual({
        status: 400,
        error: expect.stringContaining(rule ?? ''),
      });
    }
  });

  test('of another account is a 404, and parameters about it are shown as they were understood', async () => {
    const created = await account.create({
      allow_hosts: ['Example.COM.', '*.a.test'],
      block_hosts: 'x.test',
    });
    expect(created.json.browserParams).toMatchObject({
      allow_hosts: ['example.com', '*.a.test'],
      block_hosts: ['x.test'],
    });
    expect(gateway.host.requests.at(-1)?.params).toMatchObject({
      allowHosts: ['example.com', '*.a.test'],
      blockHosts: ['x.test'],
    });
    const stranger = await gateway.account();
    const path = `/api/browser/${created.json.browserId}/traffic`;
    expect((await stranger.get(path)).status).toBe(404);
    const status = await account.get(path.replace('traffic', 'status'));
    expect(status.json.browserParams.allow_hosts).toEqual(['example.com', '*.a.test']);
  });
});
