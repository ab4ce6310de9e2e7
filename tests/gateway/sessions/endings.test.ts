import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { abandonSession } from '../../../apps/gateway/src/creates/abandon-session.ts';
import { createReaper } from '../../../apps/gateway/src/creates/create-reaper.ts';
import { Leases } from '../../../apps/gateway/src/hosts/leases.ts';
import { sessionReaper } from '../../../apps/gateway/src/sessions/session-reaper.ts';
import {
  Clock,
  engines,
  startGatewayOn,
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../fixtures/gateway/gateway.ts';
import { StandInHost } from '../../fixtures/hosts/stand-in-host.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

watchLeaks();

describe.each(engines)('endings on %s', (engine) => {
  let gateway: TestGateway;
  let account: TestAccount;

  beforeEach(async () => {
    gateway = await startGatewayOn(engine);
    account = await gateway.account({ creates_per_minute: 1000 });
  });

  afterEach(() => gateway[Symbol.asyncDispose]());

  const open = async (params = {}): Promise<string> => {
    const answer = await account.connect(params);
    expect(answer.status).toBe(200);
    return answer.headers.get('x-session-id') ?? '';
  };
  const status = async (id: string) => (await account.get(`/api/browser/${id}/status`)).json?.status;
  const used = async () => (await account.get('/user/api/me')).json.usage;
  const record = async (id: string) =>
    (await account.get('/user/api/sessions')).json.sessions.find(
      (s: { browserId: string }) => s.browserId === id,
    );

  test('closes, expiries and deaths at once: one end state, one bill, every caller 200', async () => {
    for (let round = 0; round < 20; round++) {
      const id = await open();
      const closes = [account.close(id), account.close(id), account.close(id)];
      if (round % 2) gateway.host.end(id, round % 4 === 1 ? 'gone' : 'expired');
      const answers = await Promise.all(closes);
      const final = await status(id);
      expect(['CLOSED', 'DEAD', 'EXPIRED']).toContain(final);
      for (const answer of answers)
        expect(answer).toMatchObject({ status: 200, json: { browserId: id, status: final } });
    }
    const records = (await account.get('/user/api/sessions')).json.sessions;
    const billed = records.reduce((sum: number, r: { billedSeconds: number }) => sum + r.billedSeconds, 0);
    expect(await used()).toMatchObject({ sessions: 20, browserSeconds: billed });
    expect((await account.get('/user/api/limits')).json).toMatchObject({ active: 0, remaining: 5 });
  });

  test('a session bills its whole seconds, at least 30, whatever the end', async () => {
    const [short, long, dead, expired] = [
      await open(),
      await open(),
      await open(),
      await open({ maxLifetime: '120' }),
    ];
    await account.close(short);
    expect(await used()).toMatchObject({ browserSeconds: 30 });
    gateway.clock.advance(90_000);
    await account.close(long);
    gateway.host.end(dead, 'gone');
    await expect.poll(() => status(dead)).toBe('DEAD');
    gateway.clock.advance(100_000);
    gateway.host.end(expired, 'expired');
    await expect.poll(() => status(expired)).toBe('EXPIRED');
    expect(await record(short)).toMatchObject({ status: 'CLOSED', billedSeconds: 30 });
    expect((await record(long)).billedSeconds).toBeOneOf([90, 91, 92]);
    expect((await record(dead)).billedSeconds).toBeOneOf([90, 91, 92]);
    expect(await record(expired)).toMatchObject({ durationSeconds: 120, billedSeconds: 120 });
    const { usage } = (await account.get('/user/api/me')).json;
    expect(usage.remainingSeconds).toBe(172_800 - usage.browserSeconds);
  });

  test('a session whose host says nothing is EXPIRED all the same, for exactly its lifetime', async () => {
    const id = await open({ maxLifetime: '300' });
    gateway.clock.advance(306_000);
    await gateway.running.leases.tick();
    expect(await record(id)).toMatchObject({ status: 'EXPIRED', durationSeconds: 300, billedSeconds: 300 });
    expect(gateway.host.busy).toBe(0);
  });

  test('a gateway that has not had the store for a whole lease leaves overdue sessions to the word of their hosts', async () => {
    const id = await open({ maxLifetime: '300' });
    const clock = new Clock();
    clock.advance(306_000);
    const late = await startTestGateway(gateway.location, { hostName: 'late', clock });
    try {
      await late.running.leases.tick();
      expect(await status(id)).toBe('ACTIVE');
      // It crashed before its time was over, and bills to then.
      gateway.host.transfer(id, 7, 70);
      gateway.host.end(id, 'gone');
      await expect.poll(() => status(id)).toBe('DEAD');
      expect(await record(id)).toMatchObject({ billedSeconds: 30, bytesUp: 7, bytesDown: 70 });
    } finally {
      await late[Symbol.asyncDispose]();
    }
  });

  test('a store that was long in answering is back when it answers, and hosts have a whole lease from then on', async () => {
    const id = await open();
    const clock = new Clock();
    clock.advance(60_000);
    let answerMs = 9500;
    const db = gateway.running.gateway.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        clock.advance(answerMs);
        answerMs = 0;
        return result;
      },
    });
    const parts = { ...gateway.running.gateway, db, now: clock.now };
    const leases = new Leases({ ...parts, reports: { ...sessionReaper(parts), ...createReaper(parts) } });
    await leases.tick();
    clock.advance(1000);
    await leases.tick();
    expect(await status(id)).toBe('ACTIVE');
    clock.advance(10_000);
    await leases.tick();
    expect(await status(id)).toBe('DEAD');
  });

  test('a browser that vanished from its host is found DEAD', async () => {
    const id = await open();
    gateway.host.lose(id);
    await gateway.running.leases.tick();
    expect(await status(id)).toBe('ACTIVE');
    gateway.clock.advance(6000);
    await gateway.running.leases.tick();
    expect(await status(id)).toBe('DEAD');
  });

  test('a close of a browser that its host has lost is 200 CLOSED', async () => {
    const id = await open();
    gateway.host.lose(id);
    expect(await account.close(id)).toMatchObject({ status: 200, json: { browserId: id, status: 'CLOSED' } });
  });

  test('a close that the host refuses is 502 and the session stays ACTIVE', async () => {
    const id = await open();
    gateway.host.onClose = async () => {
      throw new Error('the browser would not die');
    };
    const refused = await account.close(id);
    expect(refused).toMatchObject({
      status: 502,
      json: { error: 'Backend DELETE failed: the browser would not die' },
    });
    expect(await status(id)).toBe('ACTIVE');
    gateway.host.onClose = async () => {};
    expect((await account.close(id)).json.status).toBe('CLOSED');
  });

  test('a browser that dies before its create is done is DEAD, not forgotten', async () => {
    const before = gateway.host.requests.length;
    gateway.host.onOpen = async (request) => {
      // After open has resolved, and before the row can be ACTIVE.
      queueMicrotask(() => queueMicrotask(() => gateway.host.end(request.sessionId, 'gone')));
    };
    await account.connect();
    const id = gateway.host.requests[before]?.sessionId ?? '';
    await expect.poll(() => status(id)).toBe('DEAD');
  });

  test('a host that starts again under its name ends what its earlier run had, as of the last heartbeat', async () => {
    const id = await open();
    gateway.clock.advance(40_000);
    await gateway.running.leases.tick();
    gateway.clock.advance(500_000);
    await gateway.running.leases.join(new StandInHost(gateway.host.name));
    const ended = await record(id);
    expect(ended.status).toBe('DEAD');
    expect(ended.billedSeconds).toBeOneOf([40, 41, 42]);
  });

  test('sessions of a host that is not heard of for 10 seconds are DEAD as of its last word', async () => {
    const other = await startTestGateway(gateway.location, { hostName: 'other' });
    try {
      const id = await open();
      // The other gateway's clock runs ahead, so that only this host's heartbeat is old.
      other.clock.advance(11_000);
      await other.running.leases.tick();
      expect(await status(id)).toBe('DEAD');
      expect((await record(id)).billedSeconds).toBe(30);
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });

  /** From here on the store refuses to end this session, as a damaged row would. */
  const spoil = async (id: string) => {
    const { db } = gateway.running.gateway;
    const when = `when (old.id = '${id}' and new.state <> 'ACTIVE')`;
    if (engine === 'sqlite') {
      await sql
        .raw(
          `create trigger spoil_${id} before update on sessions ${when} begin select raise(abort, 'spoilt'); end`,
        )
        .execute(db);
      return;
    }
    await sql
      .raw(
        `create or replace function spoil() returns trigger language plpgsql as $$ begin raise exception 'spoilt'; end $$`,
      )
      .execute(db);
    await sql
      .raw(
        `create trigger spoil_${id} before update on sessions for each row ${when} execute function spoil()`,
      )
      .execute(db);
  };
  const failures = async () => {
    const text = await gateway.observation.registry.getSingleMetricAsString(
      'turnpike_gateway_lease_events_total',
    );
    return Number(/event="session_failed"\} (\d+)/.exec(text)?.[1]);
  };

  // It waits for ten seconds.
  test('an end that fails is counted, and keeps nobody else from ending, by the reaper or by word of the host', {
    tags: 'slow',
  }, async () => {
    const [spoilt, overdue] = [await open({ maxLifetime: '300' }), await open({ maxLifetime: '300' })];
    const [reported, missing, spoiltToo] = [await open(), await open(), await open()];
    for (const id of [spoilt, spoiltToo]) await spoil(id);
    const before = await failures();
    gateway.host.end(spoiltToo, 'gone');
    gateway.host.end(reported, 'gone');
    gateway.host.lose(missing);
    gateway.clock.advance(306_000);
    await gateway.running.leases.tick();
    const states = () =>
      gateway.running.gateway.db
        .selectFrom('sessions')
        .select(['id', 'state'])
        .execute()
        .then((rows) => Object.fromEntries(rows.map(({ id, state }) => [id, state])));
    expect(await states()).toEqual({
      [spoilt]: 'ACTIVE',
      [spoiltToo]: 'ACTIVE',
      [overdue]: 'EXPIRED',
      [reported]: 'DEAD',
      [missing]: 'DEAD',
    });
    expect(await failures()).toBeGreaterThan(before + 1);
    // The host is heard all the same, and takes work.
    await open();
  });

  test("counters that cannot be kept are one session's trouble", async () => {
    const [bad, good] = [await open(), await open()];
    gateway.host.transfer(bad, 1e300, 1);
    gateway.host.transfer(good, 5, 6);
    await gateway.running.leases.tick();
    expect(await record(good)).toMatchObject({ bytesUp: 5, bytesDown: 6 });
    gateway.host.transfer(bad, 1, 1);
  });

  test('a session whose client hung up is closed in the end, and billed to the hang-up', async () => {
    const id = await open();
    const { db } = gateway.running.gateway;
    const row = await db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    gateway.clock.advance(40_000);
    gateway.host.onClose = async () => {
      throw new Error('the browser would not die');
    };
    await abandonSession(gateway.running.gateway, row);
    expect(await status(id)).toBe('ACTIVE');
    gateway.host.onClose = async () => {};
    gateway.clock.advance(600_000);
    await gateway.running.leases.tick();
    await expect.poll(() => status(id)).toBe('CLOSED');
    expect((await record(id)).billedSeconds).toBeOneOf([40, 41, 42]);
    expect(gateway.host.busy).toBe(0);
  });

  test('a hang-up that the store could not be told of is told later', async () => {
    const id = await open();
    const { gateway: parts } = gateway.running;
    const row = await parts.db
      .selectFrom('sessions')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const away = parts.db.withPlugin({
      transformQuery: () => {
        throw new Error('the store is away');
      },
      transformResult: async ({ result }) => result,
    });
    await abandonSession({ ...parts, db: away }, row);
    expect(await status(id)).toBe('ACTIVE');
    gateway.clock.advance(600_000);
    await gateway.running.leases.tick();
    await expect.poll(() => status(id)).toBe('CLOSED');
    expect((await record(id)).billedSeconds).toBe(30);
  });

  test('byte counters reach the record while the session runs, and its end settles them', async () => {
    const id = await open();
    gateway.host.transfer(id, 100, 5_000_000_000);
    await gateway.running.leases.tick();
    expect(await record(id)).toMatchObject({
      bytesUp: 100,
      bytesDown: 5_000_000_000,
      endedAt: null,
      billedSeconds: 0,
    });
    gateway.host.transfer(id, 150, 6_000_000_000);
    await account.close(id);
    expect(await record(id)).toMatchObject({ bytesUp: 150, bytesDown: 6_000_000_000 });
    const { totals, days } = (await account.get('/user/api/usage')).json;
    expect(totals).toMatchObject({
      sessions: 1,
      bytesUp: 150,
      bytesDown: 6_000_000_000,
      browserSeconds: 30,
    });
    expect(days).toEqual([
      {
        date: new Date(gateway.clock.now()).toISOString().slice(0, 10),
        sessions: 1,
        browserSeconds: 30,
        bytesUp: 150,
        bytesDown: 6_000_000_000,
      },
    ]);
  });

  test('usage has at most 30 days, oldest first, and totals of all time', async () => {
    for (let day = 0; day < 32; day++) {
      await account.close(await open());
      gateway.clock.advance(86_400_000);
    }
    const { totals, days } = (await account.get('/user/api/usage')).json;
    expect(totals).toMatchObject({ sessions: 32, browserSeconds: 32 * 30 });
    // Today has none, so of the 30 days up to today 29 have one.
    expect(days).toHaveLength(29);
    expect(days.map((d: { date: string }) => d.date)).toEqual(
      days.map((d: { date: string }) => d.date).sort(),
    );
  });

  test('status answers for the lifetime and an hour more; the record stays', async () => {
    const id = await open({ maxLifetime: '120' });
    const cdpId = (await account.get(`/api/browser/${id}/status`)).json.cdpUrl.split('/').at(-1);
    await account.close(id);
    gateway.clock.advance(120_000 + 3_590_000);
    expect(await status(id)).toBe('CLOSED');
    expect(await status(cdpId)).toBe('CLOSED');
    expect((await account.connect({ sessionId: id })).status).toBe(410);
    gateway.clock.advance(11_000);
    expect((await account.get(`/api/browser/${id}/status`)).status).toBe(404);
    expect((await account.close(id)).status).toBe(404);
    expect((await account.connect({ sessionId: id })).status).toBe(404);
    expect(await record(id)).toMatchObject({ browserId: id, status: 'CLOSED' });
  });

  test('the record pages through every session once, newest first, by status', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) {
      ids.unshift(await open());
      if (i % 2) gateway.host.end(ids[0] ?? '', 'gone');
      else await account.close(ids[0] ?? '');
    }
    await expect.poll(async () => (await account.get('/user/api/limits')).json.active).toBe(0);
    const seen: string[] = [];
    let cursor: string | null = '';
    for (let page = 0; cursor !== null && page < 10; page++) {
      const query: string = cursor ? `&cursor=${cursor}` : '';
      const { json } = await account.get(`/user/api/sessions?limit=3${query}`);
      seen.push(...json.sessions.map((s: { browserId: string }) => s.browserId));
      cursor = json.nextCursor;
    }
    expect(seen).toEqual(ids);
    const dead = (await account.get('/user/api/sessions?status=DEAD')).json.sessions;
    expect(dead).toHaveLength(3);
    for (const bad of ['limit=0', 'limit=201', 'limit=x', 'status=STARTING', 'cursor=x', 'limit=1&limit=2']) {
      const refused = await account.get(`/user/api/sessions?${bad}`);
      expect([bad, refused.status]).toEqual([bad, 400]);
    }
  });
});

test('the only gateway of a store gives back at its start what its earlier run had under way', async () => {
  await using crashed = await startGatewayOn('sqlite', { hostName: 'crashed' });
  const account = await crashed.account({ concurrent_limit: 1 });
  const reached = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  using _release = { [Symbol.dispose]: () => goOn.resolve() };
  crashed.host.onOpen = async () => {
    reached.resolve();
    await goOn.promise;
  };
  const lost = account.create();
  await reached.promise;
  expect((await account.create()).json.code).toBe('CONCURRENCY_LIMIT');
  await using next = await startTestGateway(crashed.location, { hostName: 'next', isAlone: true });
  goOn.resolve();
  expect((await lost).status).toBe(502);
  expect((await account.create()).status).toBe(200);
  expect(next.logs.join('')).toContain('released creates that an earlier run did not finish');
});
