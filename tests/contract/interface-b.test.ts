import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statsToken } from '../../apps/gateway/src/accounts/account-credentials.ts';
import { reinstateAccount, suspendAccount } from '../../apps/gateway/src/accounts/manage-account.ts';
import { createOperatorToken } from '../../apps/gateway/src/operator/operator-tokens.ts';
import {
  type Answer,
  call,
  startGatewayOn,
  type TestAccount,
  type TestGateway,
  testSealer,
} from '../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../fixtures/suite/matrix.ts';

/** The service description's tables of interface B, row by row, on both stores. */
watchLeaks();

const products = ['residential', 'rotating-isp', 'rotating-dc', 'web-unblocker'] as const;
const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/;
const json = 'application/json; charset=utf-8';

describeEach(quickOn('postgres'))('interface B on %s', (engine) => {
  let gateway: TestGateway;
  let operator: string;
  let account: TestAccount;
  const day = (offset: number) =>
    new Date(gateway.clock.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const stats = (path: string, token = account.statsToken): Promise<Answer> =>
    call(`${gateway.url}/api/users/stats${path}`, { headers: { authorization: `Bearer ${token}` } });
  const ingest = (records: object[]) =>
    call(`${gateway.url}/operator/api/usage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operator}` },
      body: records.map((record) => JSON.stringify(record)).join('\n'),
    });
  const expectFailure = (answer: Answer, status: number, error: string | RegExp) => {
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, json]);
    expect(answer.json).toEqual({
      status: 'FAIL',
      date: expect.stringMatching(httpDate),
      error: typeof error === 'string' ? error : expect.stringMatching(error),
    });
  };
  /** The limit of 60 requests a minute is the account's: most tests need none. */
  const fresh = () => gateway.clock.advance(61_000);

  beforeAll(async () => {
    gateway = await startGatewayOn(engine);
    operator = (await createOperatorToken(gateway.running.gateway.db, 'test')).token;
    account = await gateway.account();
    const at = (offset: number) => `${day(offset)}T12:00:00Z`;
    const base = { account: account.id, product: 'residential' };
    const answer = await ingest([
      { ...base, id: `${engine}-1`, country: 'us', bytes: 1_500_000_000, at: at(0) },
      { ...base, id: `${engine}-2`, country: 'DE', bytes: 250, at: at(0) },
      { ...base, id: `${engine}-3`, bytes: 3_000_000_000, at: at(-29) },
      { ...base, id: `${engine}-4`, country: 'us', bytes: 7, at: at(-30) },
      { account: account.email, product: 'rotating-dc', id: `${engine}-5`, bytes: 42, at: at(-1) },
    ]);
    expect(answer.json).toEqual({ new: 5, repeated: 0, refused: 0, errors: [] });
  });

  afterAll(() => gateway[Symbol.asyncDispose]());

  describe('/summary', () => {
    test('rolling 30 days in Gb, with date', async () => {
      const answer = await stats('/residential/summary');
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, json]);
      expect(answer.json).toEqual({
        status: 'SUCCESS',
        date: expect.stringMatching(httpDate),
        data: {
          product: 'residential',
          unit: 'Gb',
          from: day(-29),
          to: day(0),
          window_days: 30,
          total_value: 4.50000025,
          today_value: 1.50000025,
        },
      });
    });
    test.each(products)('product %s', async (product) => {
      expect((await stats(`/${product}/summary`)).json.data.product).toBe(product);
    });
  });

  describe('/bandwidth', () => {
    test('one element a day, zeros included, both ends inclusive; no date', async () => {
      const answer = await stats(`/rotating-dc/bandwidth?from=${day(-2)}&to=${day(1)}&unit=Kb`);
      expect(answer.json).toEqual({
        status: 'SUCCESS',
        data: {
          product: 'rotating-dc',
          unit: 'Kb',
          from: day(-2),
          to: day(1),
          series: [
            { traffic_date: day(-2), total_value: 0 },
            { traffic_date: day(-1), total_value: 0.042 },
            { traffic_date: day(0), total_value: 0 },
            { traffic_date: day(1), total_value: 0 },
          ],
        },
      });
    });
    test('to: today by default; unit: Gb by default', async () => {
      const { data } = (await stats(`/residential/bandwidth?from=${day(-1)}`)).json;
      expect(data).toMatchObject({ unit: 'Gb', from: day(-1), to: day(0) });
      expect(data.series.map((element: { total_value: number }) => element.total_value)).toEqual([
        0, 1.50000025,
      ]);
    });
    test.each([
      ['Kb', 1500000.25],
      ['Mb', 1500.00025],
      ['Gb', 1.50000025],
      ['Tb', 0.00150000025],
    ])('unit %s', async (unit, value) => {
      const { data } = (await stats(`/residential/bandwidth?from=${day(0)}&unit=${unit}`)).json;
      expect([data.unit, data.series[0].total_value]).toEqual([unit, value]);
    });
  });

  describe('/bandwidth.csv', () => {
    test('a header line, then a row a day', async () => {
      const answer = await stats(`/residential/bandwidth.csv?from=${day(-1)}&to=${day(0)}&unit=Mb`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
      expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.csv"$/);
      expect(answer.text).toBe(`traffic_date,total_value\n${day(-1)},0\n${day(0)},1500.00025\n`);
    });
    test('failures are the JSON envelope', async () => {
      expectFailure(await stats('/residential/bandwidth.csv'), 400, /^from is required/);
    });
  });

  describe('/countries', () => {
    test('largest first, ZZ where unknown, unit honoured', async () => {
      const answer = await stats(`/residential/countries?from=${day(-29)}&unit=Mb`);
      expect(answer.json).toEqual({
        status: 'SUCCESS',
        data: {
          product: 'residential',
          unit: 'Mb',
          from: day(-29),
          to: day(0),
          countries: [
            { country: 'ZZ', total_value: 3000 },
            { country: 'US', total_value: 1500 },
            { country: 'DE', total_value: 0.00025 },
          ],
        },
      });
    });
    test.each(products.slice(1))('404 for %s', async (product) => {
      expectFailure(await stats(`/${product}/countries?from=${day(0)}`), 404, /countries/);
    });
  });

  describe('400', () => {
    test.each([
      ['', /^from is required/],
      ['from=2024-13-01', /^from must be a calendar date/],
      ['from=2023-02-29', /^from must be a calendar date/],
      ['from=20240101', /^from must be a calendar date/],
      ['from=2024-1-1', /^from must be a calendar date/],
      ['from=', /^from must be a calendar date/],
      ['from=2024-01-01&from=2024-01-02', /^from must be a calendar date/],
      ['from=2024-01-01&to=2024-02-30', /^to must be a calendar date/],
      ['from=2024-01-02&to=2024-01-01', 'to must not be before from'],
      ['from=2023-01-01&to=2024-01-02', 'Range too large: max 366 days'],
      ['from=2024-01-01&to=2024-01-02&unit=GB', 'unit must be one of Kb, Mb, Gb, Tb'],
      ['from=2024-01-01&to=2024-01-02&unit=', 'unit must be one of Kb, Mb, Gb, Tb'],
    ])('%s', async (query, error) => {
      fresh();
      for (const path of ['bandwidth', 'bandwidth.csv', 'countries']) {
        expectFailure(await stats(`/residential/${path}?${query}`), 400, error);
      }
    });
    test('366 days inclusive are allowed, a leap year among them', async () => {
      const { data } = (await stats('/residential/bandwidth?from=2024-01-01&to=2024-12-31')).json;
      expect(data.series).toHaveLength(366);
    });
  });

  describe('401', () => {
    test.each([
      [undefined, 'Missing statistics token'],
      ['', 'Missing statistics token'],
      ['Bearer', 'Invalid statistics token'],
      ['Bearer nonsense', 'Invalid statistics token'],
      [`Bearer tpapi_${'0'.repeat(64)}`, 'Invalid statistics token'],
      [`Basic ${'0'.repeat(64)}`, 'Invalid statistics token'],
    ])('authorization %j', async (authorization, error) => {
      const headers = authorization === undefined ? {} : { authorization };
      for (const path of ['/residential/summary', '/nonsense/summary', '/residential/nonsense']) {
        expectFailure(await call(`${gateway.url}/api/users/stats${path}`, { headers }), 401, error);
      }
    });
    test('a rotated token, at once; the new one works', async () => {
      const other = await gateway.account();
      expect((await stats('/residential/summary', other.statsToken)).status).toBe(200);
      const { db } = gateway.running.gateway;
      expect(await statsToken(db, testSealer, other.email)).toBe(other.statsToken);
      const rotated = await statsToken(db, testSealer, other.email, { rotate: true });
      expectFailure(await stats('/residential/summary', other.statsToken), 401, 'Invalid statistics token');
      expect((await stats('/residential/summary', rotated)).status).toBe(200);
    });
    test('an API key is no statistics token', async () => {
      expectFailure(await stats('/residential/summary', account.key), 401, 'Invalid statistics token');
    });
  });

  test('403: a suspended account, at once, until it is reinstated', async () => {
    const other = await gateway.account();
    const { db } = gateway.running.gateway;
    await suspendAccount(db, other.email);
    expectFailure(await stats('/residential/summary', other.statsToken), 403, 'Account suspended');
    await reinstateAccount(db, other.email);
    expect((await stats('/residential/summary', other.statsToken)).status).toBe(200);
  });

  test.each([
    '/nonsense/summary',
    '/nonsense/bandwidth?from=2024-01-01',
    '/residential/nonsense',
    '/residential',
    '/',
  ])('404: %s', async (path) => {
    fresh();
    expectFailure(await stats(path), 404, /./);
  });

  test('429: over 60 requests a minute, all endpoints and all answers together, with Retry-After', async () => {
    const other = await gateway.account();
    const paths = [
      '/residential/summary',
      '/nonsense/summary',
      '/residential/bandwidth',
      '/residential/countries?from=x',
    ];
    for (let i = 0; i < 60; i++)
      expect((await stats(paths[i % 4] ?? '', other.statsToken)).status).not.toBe(429);
    const refused = await stats('/residential/summary', other.statsToken);
    expectFailure(refused, 429, /^Rate limit exceeded/);
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    gateway.clock.advance(wait * 1000);
    expect((await stats('/residential/summary', other.statsToken)).status).toBe(200);
  });

  test('the token reads its own account only', async () => {
    const other = await gateway.account();
    expect((await stats('/residential/summary', other.statsToken)).json.data.total_value).toBe(0);
  });
});
