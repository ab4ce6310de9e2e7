import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  proxyExitSeen,
  proxyFailed,
  proxyWorked,
} from '../../../apps/gateway/src/ledger/proxy-health-store.ts';
import { lockAccount } from '../../../apps/gateway/src/limits/account-lock-store.ts';
import { startGatewayOn, type TestAccount, type TestGateway } from '../../fixtures/gateway/gateway.ts';
import { proxyUse, reportOf, storeProxy } from '../../fixtures/gateway/saved-proxies.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks();

describeEach(quickOn('postgres'))('the health of proxies on %s', (engine) => {
  let gateway: TestGateway;
  let account: TestAccount;

  beforeAll(async () => {
    gateway = await startGatewayOn(engine);
  });
  beforeEach(async () => {
    account = await gateway.account({ creates_per_minute: 1000, concurrent_limit: 100 });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const db = () => gateway.running.gateway.db;
  const open = async (): Promise<string> => (await account.create()).json.browserId;
  const store = (name: string, values = {}) => storeProxy(gateway, account.id, name, values);
  const stored = (id: string) =>
    db().selectFrom('saved_proxies').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const beat = () => gateway.running.leases.tick();
  const events = async () => {
    const rows = await db()
      .selectFrom('events')
      .select(['type', 'session_id', 'data'])
      .where('account_id', '=', account.id)
      .orderBy('seq')
      .execute();
    return rows
      .filter(({ type }) => type.includes('proxy') || type.includes('exit'))
      .map(({ type, session_id, data }) => ({ type, session_id, ...JSON.parse(data) }));
  };

  test('a session tells of each cause once, and of a saved proxy that has gone down', async () => {
    const proxyId = await store('a', { state: 'healthy' });
    const id = await open();
    const carry = (connections: number, failures: Record<string, number>) =>
      gateway.host.carry(id, reportOf([proxyUse('name:a', { bytesUp: 1, connections, failures })]));
    carry(9, { timeout: 1 });
    await beat();
    const failed = {
      type: 'session.proxy_failed',
      session_id: id,
      browserId: id,
      proxy: 'name:a',
      cause: 'timeout',
      failures: 1,
      connections: 9,
    };
    expect(await events()).toEqual([failed]);
    expect((await stored(proxyId)).state).toBe('healthy');
    carry(13, { timeout: 5 });
    await beat();
    carry(14, { timeout: 6 });
    await beat();
    await beat();
    const error = 'every connection of a session failed (timeout)';
    expect(await events()).toEqual([
      failed,
      { type: 'proxy.failing', session_id: null, proxy: 'name:a', state: 'failing', error },
    ]);
    const row = await stored(proxyId);
    expect(row).toMatchObject({ state: 'failing', failures: 1, last_error: error });
    expect(Number(row.next_check_at) - Number(row.state_at)).toBe(10_000);
    // The end tells what no heartbeat has, before the end itself.
    carry(15, { timeout: 6, credentials: 1 });
    await account.close(id);
    const ofSession = await db()
      .selectFrom('events')
      .select(['type', 'data'])
      .where('session_id', '=', id)
      .orderBy('seq')
      .execute();
    expect(ofSession.slice(-2)).toMatchObject([
      { type: 'session.proxy_failed', data: expect.stringContaining('credentials') },
      { type: 'session.closed' },
    ]);
  });

  test('proxies by URL, and sessions of others, change no saved proxy', async () => {
    const stranger = await gateway.account();
    const others = await storeProxy(gateway, stranger.id, 'a', { state: 'healthy' });
    const id = await open();
    const failures = { unreachable: 8 };
    const masked = 'http://user:***@proxy.example:8000';
    gateway.host.carry(
      id,
      reportOf([
        proxyUse(masked, { bytesUp: 1, connections: 8, failures }),
        proxyUse('name:a', { connections: 8, failures }),
      ]),
    );
    await beat();
    expect((await stored(others)).state).toBe('healthy');
    expect(await events()).toMatchObject([
      { type: 'session.proxy_failed', proxy: masked },
      { type: 'session.proxy_failed', proxy: 'name:a' },
    ]);
    await account.close(id);
  });

  test('an exit that changes is told by the session and by its saved proxy', async () => {
    const proxyId = await store('a');
    const id = await open();
    const carry = (ip: string, exitChanges?: number) =>
      gateway.host.carry(
        id,
        reportOf([
          proxyUse('name:a', {
            bytesUp: 1,
            exit: { ip, country: 'DE' },
            ...(exitChanges && { exitChanges }),
          }),
        ]),
      );
    carry('192.0.2.1');
    await beat();
    expect(await events()).toEqual([]);
    expect(await stored(proxyId)).toMatchObject({ exit_ip: '192.0.2.1', exit_country: 'DE' });
    carry('192.0.2.2', 1);
    await beat();
    await beat();
    const moved = { proxy: 'name:a', exitIp: '192.0.2.2', exitCountry: 'DE', previousExitIp: '192.0.2.1' };
    expect(await events()).toEqual([
      { type: 'session.exit_changed', session_id: id, browserId: id, ...moved },
      { type: 'proxy.exit_changed', session_id: null, ...moved },
    ]);
    await account.close(id);
  });

  const inLock = (work: (trx: Parameters<typeof lockAccount>[0]) => Promise<void>) =>
    db()
      .transaction()
      .execute(async (trx) => {
        await lockAccount(trx, account.id);
        await work(trx);
      });

  test('a rotating proxy has one exit event in ten minutes, and a template none', async () => {
    const { outbox } = gateway.running.gateway;
    const rotating = await store('rotating', { exit_ip: '192.0.2.1' });
    const template = await store('template', {
      exit_ip: '192.0.2.1',
      url_masked: 'http://user-{session}:***@proxy.example:8000',
    });
    let at = gateway.clock.now();
    for (const ip of ['192.0.2.2', '192.0.2.3', '192.0.2.4'])
      for (const proxyId of [rotating, template])
        await inLock((trx) => proxyExitSeen(trx, outbox, { proxyId, at, exit: { ip } }));
    expect(await stored(template)).toMatchObject({ exit_ip: '192.0.2.4' });
    expect(await events()).toMatchObject([{ proxy: 'name:rotating', exitIp: '192.0.2.2' }]);
    at += 600_000;
    await inLock((trx) => proxyExitSeen(trx, outbox, { proxyId: rotating, at, exit: { ip: '192.0.2.5' } }));
    expect((await events()).map(({ exitIp }) => exitIp)).toEqual(['192.0.2.2', '192.0.2.5']);
  });

  test('checks are put off longer with each failure, and a success ends that', async () => {
    const { outbox } = gateway.running.gateway;
    const proxyId = await store('a');
    const at = gateway.clock.now();
    const waits: number[] = [];
    for (let i = 0; i < 8; i++) {
      await inLock((trx) => proxyFailed(trx, outbox, { proxyId, at, isCheck: true, error: 'no answer' }));
      waits.push(Number((await stored(proxyId)).next_check_at) - at);
    }
    expect(waits).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
    await inLock((trx) => proxyWorked(trx, outbox, { proxyId, at, isCheck: true, latencyMs: 12.4 }));
    await inLock((trx) => proxyWorked(trx, outbox, { proxyId, at }));
    expect(await stored(proxyId)).toMatchObject({
      state: 'healthy',
      failures: 0,
      next_check_at: null,
      latency_ms: 12,
      checked_at: at,
    });
    expect((await events()).map(({ type, state }) => [type, state])).toEqual([
      ['proxy.failing', 'failing'],
      ['proxy.recovered', 'healthy'],
    ]);
  });
});
