import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storeMeterBackend } from '../../../apps/gateway/src/bandwidth/meter-backend.ts';
import {
  createOperatorToken,
  revokeOperatorToken,
} from '../../../apps/gateway/src/operator/operator-tokens.ts';
import {
  call,
  engines,
  startGatewayOn,
  type TestAccount,
  type TestGateway,
} from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

watchLeaks();

describe.each(engines)('ingestion on %s', (engine) => {
  let gateway: TestGateway;
  let operator: { id: string; token: string };
  let ids = 0;

  beforeAll(async () => {
    gateway = await startGatewayOn(engine);
    operator = await createOperatorToken(gateway.running.gateway.db, 'fleet');
  });

  afterAll(() => gateway[Symbol.asyncDispose]());

  const send = (body: string, token = operator.token) =>
    call(`${gateway.url}/operator/api/usage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      body,
    });
  const ndjson = (records: object[]) => send(records.map((record) => JSON.stringify(record)).join('\n'));
  const series = async (account: TestAccount, product: string, from: string, to = from) => {
    gateway.clock.advance(61_000);
    const url = `${gateway.url}/api/users/stats/${product}/bandwidth?from=${from}&to=${to}&unit=Kb`;
    const answer = await call(url, { headers: { authorization: `Bearer ${account.statsToken}` } });
    expect(answer.status).toBe(200);
    return answer;
  };
  const newId = () => `${engine}-${ids++}`;

  test('a bad line does not lose the good ones, and says its reason', async () => {
    const account = await gateway.account();
    const good = { account: account.id, product: 'residential', bytes: 1000, at: '2024-03-01T00:00:00Z' };
    const lines = [
      JSON.stringify({ id: newId(), ...good }),
      '{nonsense',
      JSON.stringify({ id: 'x', ...good, product: 'mobile' }),
      '"text"',
      JSON.stringify({ ...good }),
      JSON.stringify({ id: 'y', ...good, account: 'acc_nobody' }),
      '',
      JSON.stringify({ id: 'z', ...good, bytes: 1.5 }),
      JSON.stringify({ id: 'z', ...good, bytes: -1 }),
      JSON.stringify({ id: 'z', ...good, at: 'yesterday' }),
      JSON.stringify({ id: 'z', ...good, at: '2024-03-01' }),
      JSON.stringify({ id: 'z', ...good, at: '2199-01-01T00:00:00Z' }),
      JSON.stringify({ id: 'z', ...good, country: 'USA' }),
      JSON.stringify({ id: 'z', ...good, proxyUser: 'both' }),
      JSON.stringify({
        id: newId(),
        ...good,
        account: undefined,
        proxyUser: account.proxyUser,
        country: null,
      }),
    ];
    const { json } = await send(lines.join('\r\n'));
    expect(json).toMatchObject({ new: 2, repeated: 0, refused: 12 });
    expect(json.errors).toEqual([
      { line: 2, reason: 'is not JSON' },
      {
        line: 3,
        id: 'x',
        reason: 'product must be one of residential, rotating-isp, rotating-dc, web-unblocker',
      },
      { line: 4, reason: 'must be a JSON object' },
      { line: 5, reason: 'id must be a text of 1 to 200 characters' },
      { line: 6, id: 'y', reason: 'there is no such account' },
      ...[7, 8].map((line) => ({ line, id: 'z', reason: expect.stringMatching(/^bytes must be/) })),
      ...[9, 10].map((line) => ({ line, id: 'z', reason: expect.stringMatching(/^at must be/) })),
      { line: 11, id: 'z', reason: 'at lies in the future' },
      { line: 12, id: 'z', reason: expect.stringMatching(/^country must be/) },
      { line: 13, id: 'z', reason: expect.stringMatching(/^account or proxyUser/) },
    ]);
    expect((await series(account, 'residential', '2024-03-01')).json.data.series).toEqual([
      { traffic_date: '2024-03-01', total_value: 2 },
    ]);
  });

  test('of many bad lines an answer describes the first thousand, and too many lines are no batch', async () => {
    const good = { id: newId(), product: 'residential', bytes: 1, at: '2024-03-01T00:00:00Z' };
    const stranger = JSON.stringify({ ...good, account: 'acc_nobody' });
    const answer = await send(`${stranger}\n${'{\n'.repeat(3000)}${stranger}`);
    expect(answer.json).toMatchObject({ new: 0, refused: 3002 });
    const lines = answer.json.errors.map(({ line }: { line: number }) => line);
    expect(lines).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1));
    const flood = await send('{\n'.repeat(500_001));
    expect(flood.status).toBe(400);
    expect(flood.text).toContain('at most 500000 records');
  });

  test('the same id counts once, in one batch, in another, or in many at the same time', async () => {
    const account = await gateway.account();
    const record = {
      id: newId(),
      account: account.id,
      product: 'web-unblocker',
      bytes: 5000,
      at: '2024-03-01T10:00:00Z',
    };
    expect((await ndjson([record, record])).json).toMatchObject({ new: 1, repeated: 1 });
    expect((await send(JSON.stringify([record]))).json).toMatchObject({ new: 0, repeated: 1 });
    const other = { ...record, id: newId() };
    const answers = await Promise.all(Array.from({ length: 20 }, () => ndjson([other])));
    expect(answers.reduce((sum, { json }) => sum + json.new, 0)).toBe(1);
    expect((await series(account, 'web-unblocker', '2024-03-01')).json.data.series[0].total_value).toBe(10);
  });

  test('what was refused may come again', async () => {
    const account = await gateway.account();
    const record = { id: newId(), account: account.id, product: 'residential', at: '2024-03-01T10:00:00Z' };
    expect((await ndjson([{ ...record, bytes: 'many' }])).json).toMatchObject({ new: 0, refused: 1 });
    expect((await ndjson([{ ...record, bytes: 1 }])).json).toMatchObject({ new: 1, refused: 0 });
  });

  test('bytes past 2^53 stay exact, as numbers, as text, and in sums', async () => {
    const account = await gateway.account();
    const record = (bytes: string) =>
      `{"id":"${newId()}","account":"${account.id}","product":"residential","bytes":${bytes},"at":"2024-02-29T23:59:59.999Z"}`;
    const lines = [record('9007199254740993'), record('"9007199254740995"'), record('1')];
    expect((await send(lines.join('\n'))).json).toMatchObject({ new: 3, refused: 0 });
    expect((await send(`[${record('900719925474099301')}]`)).json).toMatchObject({ new: 1, refused: 0 });
    const { text } = await series(account, 'residential', '2024-02-29');
    expect(text).toContain('"total_value":918734323983581.29}');
  });

  test.each([
    ['2024-02-28T23:59:59.999Z', '2024-02-28'],
    ['2024-02-29T00:00:00.000Z', '2024-02-29'],
    ['2024-02-29T23:59:59.999Z', '2024-02-29'],
    ['2024-03-01T00:30:00+02:00', '2024-02-29'],
    ['2023-12-31T23:30:00-01:00', '2024-01-01'],
  ])('%s counts on %s', async (at, day) => {
    const account = await gateway.account();
    await ndjson([{ id: newId(), account: account.id, product: 'residential', bytes: 1000, at }]);
    const found = (await series(account, 'residential', '2023-12-30', '2024-03-02')).json.data.series;
    expect(found.filter((element: { total_value: number }) => element.total_value > 0)).toEqual([
      { traffic_date: day, total_value: 1 },
    ]);
  });

  test('401 without a token, with a wrong one, and with a revoked one', async () => {
    expect(await call(`${gateway.url}/operator/api/usage`, { method: 'POST' })).toMatchObject({
      status: 401,
      json: { error: 'Missing operator token' },
    });
    expect((await send('', `tpop_${'0'.repeat(64)}`)).status).toBe(401);
    const revoked = await createOperatorToken(gateway.running.gateway.db, 'old');
    expect((await send('', revoked.token)).status).toBe(200);
    await revokeOperatorToken(gateway.running.gateway.db, revoked.id);
    expect((await send('', revoked.token)).json).toMatchObject({ error: 'Invalid operator token' });
  });

  test('400 for what is neither a JSON list nor text', async () => {
    expect((await send('[{"id":')).status).toBe(400);
    const headers = { authorization: `Bearer ${operator.token}` };
    const binary = await call(`${gateway.url}/operator/api/usage`, {
      method: 'POST',
      headers,
      body: Buffer.from([0xff, 0xfe]),
    });
    expect(binary.status).toBe(400);
  });

  test('series, countries and summary agree with a naive model of any records', async () => {
    const record = fc.record({
      product: fc.constantFrom('residential', 'rotating-isp'),
      country: fc.constantFrom('US', 'DE', null),
      bytes: fc.bigInt({ min: 0n, max: 10n ** 17n }),
      at: fc.date({
        min: new Date('2024-02-20T00:00:00Z'),
        max: new Date('2024-03-10T23:59:59.999Z'),
        noInvalidDate: true,
      }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 30 }), async (records) => {
        const account = await gateway.account();
        const lines = records.map(({ bytes, at, ...rest }) =>
          JSON.stringify({
            id: newId(),
            account: account.id,
            ...rest,
            bytes: `${bytes}`,
            at: at.toISOString(),
          }),
        );
        expect((await send([...lines, ...lines].join('\n'))).json).toMatchObject({
          new: lines.length,
          repeated: lines.length,
        });
        for (const product of ['residential', 'rotating-isp']) {
          const mine = records.filter((candidate) => candidate.product === product);
          const total = mine.reduce((sum, { bytes }) => sum + bytes, 0n);
          const { text } = await series(account, product, '2024-02-15', '2024-03-15');
          expect(sumOfKb(text)).toBe(total);
          for (const { at } of mine) {
            const day = at.toISOString().slice(0, 10);
            const ofDay = mine.filter((other) => other.at.toISOString().slice(0, 10) === day);
            const expected = ofDay.reduce((sum, { bytes }) => sum + bytes, 0n);
            expect(sumOfKb(new RegExp(`"${day}","total_value":[\\d.]+`).exec(text)?.[0] ?? '')).toBe(
              expected,
            );
          }
        }
        const countries = await call(
          `${gateway.url}/api/users/stats/residential/countries?from=2024-02-15&to=2024-03-15&unit=Kb`,
          { headers: { authorization: `Bearer ${account.statsToken}` } },
        );
        const total = records
          .filter(({ product }) => product === 'residential')
          .reduce((sum, { bytes }) => sum + bytes, 0n);
        expect(sumOfKb(countries.text)).toBe(total);
      }),
      { numRuns: 25 },
    );
  });

  test('a NUL, half a character or a sum that overflows refuses its own line', async () => {
    const account = await gateway.account();
    const good = { account: account.id, product: 'residential', bytes: 7, at: '2024-05-01T00:00:00Z' };
    const big = { ...good, at: '2024-05-02T00:00:00Z', bytes: '1000000000000000000' };
    const records = [
      { ...good, id: newId() },
      { ...good, id: `nul\0${newId()}` },
      { ...good, id: `half\ud800${newId()}` },
      { ...good, id: newId(), account: 'a\0b' },
      { ...good, id: newId(), account: 'a\udc00b@example.com' },
      { ...good, id: newId(), account: undefined, proxyUser: 'u\ud800' },
      ...Array.from({ length: 12 }, () => ({ ...big, id: newId() })),
      { ...good, id: newId() },
    ];
    const answer = await ndjson(records);
    expect(answer).toMatchObject({ status: 200, json: { new: 2 + 9, repeated: 0, refused: 5 + 3 } });
    expect(answer.json.errors.map(({ line }: { line: number }) => line)).toEqual([2, 3, 4, 5, 6, 16, 17, 18]);
    // What was refused is as new when it comes again, and is refused again.
    expect((await ndjson(records)).json).toMatchObject({ new: 0, repeated: 11, refused: 8 });
    const { series: days } = (await series(account, 'residential', '2024-05-01', '2024-05-02')).json.data;
    expect(days[0].total_value).toBe(0.014);
    // Days whose sum passes 2^63 are still added up.
    await ndjson(['03', '04'].map((day) => ({ ...big, id: newId(), at: `2024-05-${day}T00:00:00Z` })));
    const countries = await call(
      `${gateway.url}/api/users/stats/residential/countries?from=2024-05-01&to=2024-05-04&unit=Kb`,
      { headers: { authorization: `Bearer ${account.statsToken}` } },
    );
    expect(sumOfKb(countries.text)).toBe(11n * 10n ** 18n + 14n);
  });

  test('a counter that cannot count does not hold up the others of its report', async () => {
    const account = await gateway.account();
    const meter = storeMeterBackend(gateway.running.gateway.db);
    const key = { accountId: account.id, product: 'residential', country: 'US', day: '2024-06-01' } as const;
    const counters = [
      { ...key, bytes: 5000n },
      { ...key, country: 'DE', bytes: 2n ** 63n },
      { ...key, accountId: 'acc_nobody', bytes: 1n },
    ];
    const source = newId();
    await meter.report({ source, counters });
    await meter.report({ source, counters: [{ ...key, country: 'DE', bytes: 2n ** 63n - 2n }] });
    await meter.report({ source: newId(), counters: [{ ...key, country: 'DE', bytes: 2n ** 62n }] });
    const answer = await series(account, 'residential', '2024-06-01');
    expect(sumOfKb(answer.text.replace(/.*"series"/, ''))).toBe(5000n + 2n ** 63n - 2n);
  });

  test('counters that nobody will report again are forgotten, and change nothing', async () => {
    const account = await gateway.account();
    const { db } = gateway.running.gateway;
    let now = Date.parse('2024-07-01T12:00:00Z');
    const meter = storeMeterBackend(db, { now: () => now });
    const key = { accountId: account.id, product: 'residential', country: 'US' } as const;
    const [gone, alive] = [newId(), newId()];
    const report = (source: string, day: string, bytes: bigint) =>
      meter.report({ source, counters: [{ ...key, day, bytes }] });
    await report(gone, '2024-07-01', 1000n);
    await report(alive, '2024-07-01', 1000n);
    now += 9 * 86_400_000;
    await report(alive, '2024-07-10', 500n);
    await report(alive, '2024-07-10', 500n);
    const kept = await db
      .selectFrom('meter_counters')
      .select(['source', 'day'])
      .where('source', 'in', [gone, alive])
      .execute();
    expect(kept).toEqual([{ source: alive, day: '2024-07-10' }]);
    const { series: days } = (await series(account, 'residential', '2024-07-01', '2024-07-10')).json.data;
    expect([days[0].total_value, days[9].total_value]).toEqual([2, 0.5]);
  });

  test("a source's cumulative counters count once, however often and in whatever order they are sent", async () => {
    const account = await gateway.account();
    const meter = storeMeterBackend(gateway.running.gateway.db);
    const key = { accountId: account.id, product: 'residential', country: 'US', day: '2024-03-01' } as const;
    const report = (source: string, bytes: bigint) => meter.report({ source, counters: [{ ...key, bytes }] });
    const source = newId();
    await report(source, 1000n);
    await report(source, 1000n);
    await Promise.all([report(source, 3000n), report(source, 2000n), report(source, 3000n)]);
    await report(source, 2500n);
    await report(newId(), 500n);
    expect((await series(account, 'residential', '2024-03-01')).json.data.series[0].total_value).toBe(3.5);
  });
});

/** Adds up every total_value of an answer in Kb, exactly, in bytes. */
function sumOfKb(text: string): bigint {
  let sum = 0n;
  for (const [, whole = '', fraction = ''] of text.matchAll(/"total_value":(\d+)(?:\.(\d+))?/g)) {
    sum += BigInt(whole + fraction.padEnd(3, '0'));
  }
  return sum;
}
