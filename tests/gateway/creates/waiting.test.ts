import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Answer,
  accountCalls,
  startGatewayOn,
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks();

const id = ({ json }: Answer): string => json.browserId;

describeEach(quickOn('postgres'))('waiting on %s', (engine) => {
  let gateway: TestGateway;

  beforeEach(async () => {
    gateway = await startGatewayOn(engine);
  });

  afterEach(() => gateway[Symbol.asyncDispose]());

  const waiting = async () =>
    (await gateway.running.gateway.db.selectFrom('waiting').selectAll().orderBy('ticket').execute()).map(
      ({ phase }) => phase,
    );
  const one = (limits = {}): Promise<TestAccount> =>
    gateway.account({ concurrent_limit: 1, creates_per_minute: 1000, ...limits });

  test('a create waits for a slot, and has it when the one before is closed', async () => {
    const account = await one();
    const first = await account.create();
    const second = account.create({ wait: 30 });
    await expect.poll(waiting).toEqual(['slot']);
    await account.close(id(first));
    expect((await second).status).toBe(200);
    expect(await waiting()).toEqual([]);
    expect(gateway.host.busy).toBe(1);
  });

  test('what is free belongs to those who wait: nobody gets it before them', async () => {
    const account = await one();
    const first = await account.create();
    const second = account.create({ wait: 30 });
    await expect.poll(waiting).toEqual(['slot']);
    // It comes after, whether it waits or not.
    const third = account.create({ wait: 30 });
    await expect.poll(waiting).toEqual(['slot', 'slot']);
    await account.close(id(first));
    expect(await account.create()).toMatchObject({ status: 429, json: { code: 'CONCURRENCY_LIMIT' } });
    await account.close(id(await second));
    expect((await third).status).toBe(200);
  });

  test('one that waited in vain gets the answer that it would have got at once', async () => {
    const account = await one();
    await account.create();
    const late = await account.connect({ wait: '1' });
    expect(late).toMatchObject({ status: 429, json: { code: 'CONCURRENCY_LIMIT', limit: 1, active: 1 } });
    expect(late.headers.get('retry-after')).toBe('5');
    expect(await waiting()).toEqual([]);
  });

  test('a client that hangs up leaves the line', async () => {
    const account = await one();
    const first = await account.create();
    const abort = new AbortController();
    const gone = fetch(`${gateway.url}/connect?wait=30&proxy=${encodeURIComponent(account.proxy)}`, {
      headers: { 'x-api-key': account.key },
      signal: abort.signal,
    });
    await expect.poll(waiting).toEqual(['slot']);
    const next = account.create({ wait: 30 });
    await expect.poll(waiting).toEqual(['slot', 'slot']);
    abort.abort();
    await expect(gone).rejects.toThrow();
    await expect.poll(waiting).toEqual(['slot']);
    await account.close(id(first));
    expect((await next).status).toBe(200);
  });

  test('a create waits for a seat, and those of its account behind it', async () => {
    const [other, account] = [await one(), await one({ concurrent_limit: 5 })];
    gateway.host.places = 1;
    const taken = await other.create();
    const first = account.create({ wait: 30 });
    await expect.poll(waiting).toEqual(['seat']);
    expect((await account.connect()).headers.get('x-error-code')).toBe('CAPACITY');
    expect((await account.get('/user/api/limits')).json).toMatchObject({ active: 0, remaining: 5 });
    await other.close(id(taken));
    expect((await first).status).toBe(200);
    expect(await waiting()).toEqual([]);
  });

  test('a create that fails for another reason waits for nothing', async () => {
    const account = await one();
    gateway.host.onOpen = async () => {
      throw new Error('no browser today');
    };
    expect((await account.create({ wait: 30 })).status).toBe(502);
    expect(await waiting()).toEqual([]);
    expect(await account.create({ wait: 61 })).toMatchObject({
      status: 400,
      json: { error: 'Malformed browser params: wait must be from 0 to 60' },
    });
  });
});

test('three hundred creates on two gateways are served in order, and the limit is never passed', {
  tags: 'slow',
}, async () => {
  const [limit, total, batch] = [5, 300, 20];
  await using left = await startGatewayOn('postgres', { hostName: 'left' });
  await using right = await startTestGateway(left.location, { hostName: 'right' });
  const account = await left.account({ concurrent_limit: limit, creates_per_minute: 100_000 });
  const sides = [account, accountCalls(right.url, account.key)];
  const { db } = left.running.gateway;
  const inLine = async (): Promise<number> =>
    (await db.selectFrom('waiting').select('ticket').execute()).length;
  const opened: string[] = [];
  let most = 0;
  for (const host of [left.host, right.host]) {
    host.onOpen = async ({ sessionId }) => {
      opened.push(sessionId);
      most = Math.max(most, left.host.busy + right.host.busy);
    };
  }

  const blockers = await Promise.all(Array.from({ length: limit }, () => account.create()));
  const arrivals = new Map<string, number>();
  const creates: Promise<void>[] = [];
  const arrive = async (n: number): Promise<void> => {
    const side = sides[n % 2] ?? account;
    const answer = await side.create({ wait: 60 });
    expect(answer.status).toBe(200);
    arrivals.set(id(answer), n);
    await side.close(id(answer));
  };
  for (let n = 0; n < total; n++) {
    creates.push(arrive(n));
    // Requests on two connections may overtake each other, but not by a whole batch.
    if ((n + 1) % batch === 0) await expect.poll(inLine).toBe(n + 1);
  }
  await Promise.all(blockers.map((blocker) => account.close(id(blocker))));
  await Promise.all(creates);

  expect(most).toBeLessThanOrEqual(limit);
  expect(await inLine()).toBe(0);
  const served = opened.flatMap((sessionId) => arrivals.get(sessionId) ?? []);
  expect(served).toHaveLength(total);
  for (const [position, n] of served.entries()) {
    expect(Math.abs(n - position), `request ${n} was served as number ${position}`).toBeLessThan(
      batch + limit,
    );
  }
});
