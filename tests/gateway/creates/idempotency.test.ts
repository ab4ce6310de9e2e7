import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { abandonSession } from '../../../apps/gateway/src/creates/abandon-session.ts';
import { claimKey, freeKey, shareKey } from '../../../apps/gateway/src/creates/idempotency-store.ts';
import { renameStarting } from '../../../apps/gateway/src/creates/starting-session-store.ts';
import {
  type Answer,
  call,
  engines,
  someProxy,
  startGatewayOn,
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { slowIf } from '../../fixtures/suite/matrix.ts';

watchLeaks();

const hour = 3_600_000;
const idOf = (answer: Answer): string => answer.headers.get('x-session-id') ?? '';

describe.each(engines)('an Idempotency-Key on %s', (engine) => {
  /** For what no statement of the store decides. */
  const quickOnSqlite = slowIf(engine === 'postgres');
  let gateway: TestGateway;
  let account: TestAccount;

  beforeEach(async () => {
    gateway = await startGatewayOn(engine);
    account = await gateway.account({ creates_per_minute: 1000 });
  });

  afterEach(() => gateway[Symbol.asyncDispose]());

  const connect = (key: string, params: Record<string, string> = {}, init: RequestInit = {}) =>
    call(`${gateway.url}/connect?${new URLSearchParams({ proxy: someProxy, ...params })}`, {
      headers: { 'x-api-key': account.key, 'idempotency-key': key },
      ...init,
    });
  const create = (key: string, body: object = {}, url = gateway.url) =>
    call(`${url}/api/browser/create`, {
      method: 'POST',
      headers: { 'x-api-key': account.key, 'idempotency-key': key },
      body: JSON.stringify({ proxy: someProxy, ...body }),
    });
  const running = async (): Promise<{ browserId: string }[]> => (await account.get('/api/browsers')).json;

  test('the same key a hundred times in parallel gives one session', async () => {
    // Gateways share a PostgreSQL; a SQLite file has one.
    await using second =
      engine === 'postgres' ? await startTestGateway(gateway.location, { hostName: 'second' }) : undefined;
    const urls = [gateway.url, second?.url ?? gateway.url];
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => create('order-1', { metadata: { a: 1 } }, urls[i % 2])),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await running()).toHaveLength(1);
    expect(gateway.host.busy + (second?.host.busy ?? 0)).toBe(1);
  });

  test('a repeat is answered on both paths with the session as it is, at the limit too', async () => {
    const limited = await gateway.account({ concurrent_limit: 1, creates_per_minute: 3 });
    account = limited;
    const first = await connect('k', { headless: 'true', vnc: 'yes' });
    const second = await create('k', { headless: true, os: 'windows' });
    expect([idOf(second), second.json.cdpUrl]).toEqual([idOf(first), first.text]);
    expect(second.headers.get('x-ratelimit-remaining')).toBe('0');
    expect((await limited.connect()).json.code).toBe('CONCURRENCY_LIMIT');
    // Every create request counts, a repeat too.
    expect((await create('k', { headless: true })).json.code).toBe('RATE_LIMIT');
  });

  test('other parameters under the same key are 422, also while the first is still starting', async () => {
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    gateway.host.onOpen = async () => {
      reached.resolve();
      await gate.promise;
    };
    const first = create('k');
    await reached.promise;
    const early = await create('k', { metadata: { a: 1 } });
    gate.resolve();
    await first;
    const late = await connect('k', { proxy: someProxy.replace('secret', 'other') });
    expect([early.status, late.status]).toEqual([422, 422]);
    expect(early.json).toEqual({
      code: 'IDEMPOTENCY_MISMATCH',
      error: 'That Idempotency-Key was used with other parameters.',
    });
    expect([late.headers.get('x-error-code'), late.headers.get('content-type')]).toEqual([
      'IDEMPOTENCY_MISMATCH',
      'text/plain; charset=utf-8',
    ]);
    expect(await running()).toHaveLength(1);
  });

  test("a key is its account's own", async () => {
    const first = await create('k');
    account = await gateway.account();
    const other = await create('k', { os: 'linux' });
    expect(other.status).toBe(200);
    expect(idOf(other)).not.toBe(idOf(first));
  });

  test('a create that failed leaves its key free, and those who wait take over', async () => {
    let opens = 0;
    gateway.host.onOpen = async () => {
      opens += 1;
      if (opens <= 2) throw new Error('no browser today');
    };
    const answers = await Promise.all(Array.from({ length: 10 }, () => create('k')));
    expect(answers.filter(({ status }) => status === 502)).toHaveLength(2);
    const ids = answers.filter(({ status }) => status === 200).map(idOf);
    expect([ids.length, new Set(ids).size]).toEqual([8, 1]);
    // Ten requests were counted, however often they tried.
    const { create_seq } = await gateway.running.gateway.db
      .selectFrom('accounts')
      .select('create_seq')
      .where('id', '=', account.id)
      .executeTakeFirstOrThrow();
    expect(create_seq).toBe(10);
  });

  test('those who wait for creates that keep failing give up in time', quickOnSqlite, async () => {
    await using hasty = await startTestGateway(gateway.location, {
      hostName: 'hasty',
      createTimeoutMs: 1000,
    });
    hasty.host.onOpen = async () => {
      await delay(400);
      throw new Error('no browser today');
    };
    const startedAt = performance.now();
    // One after the other they would take 24 seconds.
    const answers = await Promise.all(Array.from({ length: 60 }, () => create('k', {}, hasty.url)));
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([502]));
    expect(await running()).toEqual([]);
  });

  test('a refused create claims nothing', async () => {
    account = await gateway.account({ concurrent_limit: 1 });
    const other = await account.connect();
    expect((await create('k')).json.code).toBe('CONCURRENCY_LIMIT');
    expect((await create('k', { proxy: 'nonsense' })).json.code).toBe('CONCURRENCY_LIMIT');
    await account.close(idOf(other));
    expect((await create('k', { proxy: 'nonsense' })).json.code).toBe('PROXY_INVALID');
    expect((await create('k', { os: 'linux' })).status).toBe(200);
  });

  test('a session that has ended is 410 with its final status for 24 hours, then the key is new', async () => {
    const first = await create('k', { maxLifetime: 120 });
    await account.close(idOf(first));
    gateway.clock.advance(2 * hour);
    const ended = await create('k', { maxLifetime: 120 });
    expect([ended.status, ended.json]).toEqual([410, { code: 'SESSION_ENDED', error: 'Session is CLOSED' }]);
    gateway.clock.advance(22 * hour);
    const later = await create('k', { os: 'linux' });
    expect(later.status).toBe(200);
    expect(idOf(later)).not.toBe(idOf(first));
  });

  test('old keys are pruned, and neither a key nor a proxy password is in the store', async () => {
    const { db } = gateway.running.gateway;
    await create('my-order-17');
    const [row] = await db.selectFrom('idempotency_keys').selectAll().execute();
    expect(JSON.stringify(row)).not.toMatch(/my-order-17|secret/);
    await gateway.running.leases.tick();
    expect(await db.selectFrom('idempotency_keys').selectAll().execute()).toHaveLength(1);
    gateway.clock.advance(24 * hour);
    await gateway.running.leases.tick();
    expect(await db.selectFrom('idempotency_keys').selectAll().execute()).toEqual([]);
  });

  test('a client that hangs up during the create leaves the key free', async () => {
    const reached = Promise.withResolvers<void>();
    gateway.host.onOpen = (_request, signal) => {
      reached.resolve();
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
      );
    };
    const controller = new AbortController();
    const abandoned = connect(
      'k',
      {},
      {
        headers: { 'x-api-key': account.key, 'idempotency-key': 'k' },
        signal: controller.signal,
      },
    );
    const gone = expect(abandoned).rejects.toThrow();
    await reached.promise;
    gateway.host.onOpen = async () => {};
    const repeat = connect('k');
    controller.abort();
    await gone;
    expect((await repeat).status).toBe(200);
    expect(await running()).toHaveLength(1);
  });

  test('a gateway that dies in the middle blocks its key until the deadline of its create', async () => {
    const gate = Promise.withResolvers<void>();
    await using doomed = await startTestGateway(gateway.location, { hostName: 'doomed' });
    await using impatient = await startTestGateway(gateway.location, {
      hostName: 'impatient',
      createTimeoutMs: 200,
    });
    const reached = Promise.withResolvers<void>();
    doomed.host.onOpen = async () => {
      reached.resolve();
      await gate.promise;
    };
    const lost = create('k', {}, doomed.url);
    await reached.promise;
    const waited = await create('k', {}, impatient.url);
    expect([waited.status, waited.json.error]).toEqual([502, 'Browser creation failed']);
    gateway.clock.advance(200_000);
    await gateway.running.leases.tick();
    const repeat = await create('k');
    expect(repeat.status).toBe(200);
    gate.resolve();
    expect((await lost).status).toBe(502);
    expect(await running()).toMatchObject([{ browserId: idOf(repeat) }]);
    expect(doomed.host.busy).toBe(0);
  });

  const close = (idempotencyKey: unknown) => account.post('/api/browser/close', { idempotencyKey });
  const billed = async () => (await account.get('/user/api/me')).json.usage.browserSeconds;

  test('a close by the key closes the session that was opened with it, and a repeat is harmless', async () => {
    const id = idOf(await create('k'));
    for (let i = 0; i < 2; i++)
      expect(await close('k')).toMatchObject({ status: 200, json: { browserId: id, status: 'CLOSED' } });
    expect(gateway.host.busy).toBe(0);
    expect(await create('k')).toMatchObject({ status: 410, json: { error: 'Session is CLOSED' } });
    expect(await billed()).toBe(30);
  });

  test('a close by the key gives up a create that is still starting, which is not billed', async () => {
    const reached = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    gateway.host.onOpen = async () => {
      reached.resolve();
      await goOn.promise;
    };
    const opening = create('k');
    await reached.promise;
    const repeat = create('k');
    expect(await close('k')).toMatchObject({ status: 200, json: { browserId: null, status: 'CLOSED' } });
    expect((await account.get('/user/api/limits')).json.active).toBe(0);
    goOn.resolve();
    for (const answer of [await opening, await repeat])
      expect(answer).toMatchObject({ status: 410, json: { error: 'Session is CLOSED' } });
    expect(gateway.host.busy).toBe(0);
    expect(await billed()).toBe(0);
  });

  test('a create that arrives after its key was closed opens nothing, whatever its parameters', async () => {
    expect(await close('k')).toMatchObject({ status: 200, json: { browserId: null, status: 'CLOSED' } });
    for (const body of [{}, { headless: true }])
      expect(await create('k', body)).toMatchObject({ status: 410, json: { error: 'Session is CLOSED' } });
    expect(gateway.host.requests).toHaveLength(0);
    expect(await billed()).toBe(0);
    const other = await gateway.account();
    expect(
      (
        await call(`${gateway.url}/connect?proxy=${encodeURIComponent(someProxy)}`, {
          headers: { 'x-api-key': other.key, 'idempotency-key': 'k' },
        })
      ).status,
    ).toBe(200);
    expect((await create('another')).status).toBe(200);
    gateway.clock.advance(24 * hour);
    expect((await create('k')).status).toBe(200);
  });

  test('a key that was closed stays closed when the client of its create hangs up', async () => {
    const session = await create('k');
    const { db } = gateway.running.gateway;
    const row = await db
      .selectFrom('sessions')
      .selectAll()
      .where('id', '=', idOf(session))
      .executeTakeFirstOrThrow();
    const key = await db.selectFrom('idempotency_keys').selectAll().executeTakeFirstOrThrow();
    await close('k');
    const claim = { accountId: account.id, keyHash: key.key_hash, paramsHash: key.params_hash };
    await abandonSession(gateway.running.gateway, row, claim);
    expect((await create('k')).status).toBe(410);
  });

  test('a close by a key that is none is 400, and an account closes so many that opened nothing, no more', async () => {
    for (const key of ['', 'a b', 17, null]) expect((await close(key)).status).toBe(400);
    const closed = (n: number) => ({
      account_id: account.id,
      key_hash: `${n}`,
      params_hash: '',
      session_id: '',
      created_at: gateway.clock.now(),
      closed_at: gateway.clock.now(),
    });
    const { db } = gateway.running.gateway;
    const rows = Array.from({ length: 999 }, (_, n) => closed(n));
    await db.insertInto('idempotency_keys').values(rows).execute();
    expect((await close('last')).status).toBe(200);
    expect((await close('last')).status).toBe(200);
    const refused = await close('one-too-many');
    expect([refused.status, refused.json.code]).toEqual([429, 'TOO_MANY_CLOSED_KEYS']);
    // Those that opened something are closed all the same.
    const id = idOf(await create('k'));
    expect((await close('k')).json.browserId).toBe(id);
  });

  test.each([
    ['empty', ''],
    ['too long', 'k'.repeat(256)],
    ['with a space', 'a b'],
    ['beyond ASCII', '\u00e4'],
  ])('a key that is %s is 400 and names the rule', quickOnSqlite, async (_, key) => {
    const answer = await create(key);
    expect([answer.status, answer.json]).toEqual([
      400,
      { code: 'BAD_REQUEST', error: 'Idempotency-Key must be 1 to 255 visible ASCII characters' },
    ]);
    expect((await create('k'.repeat(255))).status).toBe(200);
  });
});

test('a session that a repeat was answered with is not closed when its creator hangs up', async () => {
  await using gateway = await startGatewayOn('sqlite');
  const { db } = gateway.running.gateway;
  const { id: accountId } = await gateway.account();
  const claim = { accountId, keyHash: 'k', paramsHash: 'p' };
  const take = (id: string) => db.transaction().execute((trx) => claimKey(trx, claim, id, Date.now()));
  expect(await take('one')).toBe(true);
  expect(await shareKey(db, claim, 'one')).toBe(true);
  expect(await freeKey(db, claim, 'one')).toBe(false);
  // The other way round the repeat learns that the session is given up.
  expect(await take('two')).toBe(true);
  expect(await freeKey(db, claim, 'two')).toBe(true);
  expect(await shareKey(db, claim, 'two')).toBe(false);
});

test('a repeat that decides while a starting session is renamed finds that session, not a free key', async () => {
  await using gateway = await startGatewayOn('postgres');
  await using other = await startTestGateway(gateway.location, { hostName: 'other' });
  const account = await gateway.account();
  const create = (url: string) =>
    call(`${url}/api/browser/create`, {
      method: 'POST',
      headers: { 'x-api-key': account.key, 'idempotency-key': 'k' },
      body: JSON.stringify({ proxy: someProxy }),
    });
  const reached = Promise.withResolvers<string>();
  const goOn = Promise.withResolvers<void>();
  gateway.host.onOpen = async ({ sessionId }) => {
    reached.resolve(sessionId);
    await goOn.promise;
  };
  const first = create(gateway.url);
  const id = await reached.promise;

  // As a create does whose host failed; held back before it commits.
  const { db } = gateway.running.gateway;
  const key = await db.selectFrom('idempotency_keys').selectAll().executeTakeFirstOrThrow();
  const claim = { accountId: account.id, keyHash: key.key_hash, paramsHash: key.params_hash };
  const renamed = Promise.withResolvers<void>();
  const commit = Promise.withResolvers<void>();
  // What fails below must not hang there.
  using _release = {
    [Symbol.dispose]() {
      goOn.resolve();
      commit.resolve();
    },
  };
  const keyIsLocked = async () =>
    (await sql`select 1 from idempotency_keys for update skip locked`.execute(db)).rows.length === 0;
  const slow = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      // The last of its statements is about the key.
      if (await keyIsLocked()) {
        renamed.resolve();
        await commit.promise;
      }
      return result;
    },
  });
  const ids = { id: `br_${'a'.repeat(24)}`, cdp_id: `br_${'b'.repeat(40)}`, viewer_token: 'c' };
  const renaming = renameStarting(slow, id, ids, claim);
  await renamed.promise;
  const repeat = create(other.url);
  const waitsForLock = async () =>
    (
      await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        db,
      )
    ).rows.length;
  await expect.poll(waitsForLock).toBeGreaterThan(0);
  commit.resolve();
  expect(await renaming).toBe(true);
  // The repeat is decided when it has been counted: in one transaction with a session of its own, if it gets one.
  const counted = async () =>
    (await db.selectFrom('accounts').select('create_seq').executeTakeFirstOrThrow()).create_seq;
  await expect.poll(counted).toBe(2);
  const sessions = await db.selectFrom('sessions').select('id').execute();
  expect(sessions).toEqual([{ id: ids.id }]);
  // It waits for the first one's session; when that comes to nothing it takes over.
  expect(other.host.requests).toHaveLength(0);
  goOn.resolve();
  expect((await first).status).toBe(502);
  await db.deleteFrom('sessions').where('id', '=', ids.id).execute();
  expect((await repeat).status).toBe(200);
  expect(other.host.busy).toBe(1);
});
