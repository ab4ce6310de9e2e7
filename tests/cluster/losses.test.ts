// @module-tag slow

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drainHost, listHosts, removeHost, undrainHost } from '../../apps/gateway/src/hosts/hosts.ts';
import { preloadQuickTime, quick } from '../faults/quick-time.ts';
import { type Postgres, startPostgres } from '../fixtures/database/postgres.ts';
import { type Answer, accountCalls, type TestAccount } from '../fixtures/gateway/gateway.ts';
import {
  type ClusterGateway,
  type ClusterStore,
  openClusterStore,
  type StandInHostProcess,
  startClusterGateway,
  startStandInHost,
} from '../fixtures/service/cluster.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks({ wholeFile: true });

/** Leases of three seconds, not ten, and bills from a second on (tests/faults/quick-time.ts). */
describe('a cluster that loses parts', () => {
  let postgres: Postgres;
  let store: ClusterStore;
  let gateways: ClusterGateway[];
  const hosts = new Map<string, StandInHostProcess>();

  const startHost = async (name: string, drainSeconds = 0): Promise<void> => {
    const env = { TURNPIKE_HOST_REGION: name, TURNPIKE_HOST_DRAIN_SECONDS: `${drainSeconds}` };
    hosts.set(name, await startStandInHost(name, gateways, { ...env, ...preloadQuickTime }));
  };
  const host = (name: string): StandInHostProcess => {
    const found = hosts.get(name);
    if (!found) throw new Error(`no host ${name}`);
    return found;
  };

  beforeAll(async () => {
    postgres = await startPostgres();
    const url = await postgres.createDatabase();
    store = await openClusterStore(url);
    gateways = await Promise.all([0, 1].map(() => startClusterGateway(url, preloadQuickTime)));
    await Promise.all(['killed', 'paused', 'steady'].map((name) => startHost(name)));
    await store.hostsTakeWork(3);
  });

  afterAll(async () => {
    await Promise.all([...hosts.values(), ...gateways].map((part) => part[Symbol.asyncDispose]()));
    await store[Symbol.asyncDispose]();
    await postgres[Symbol.asyncDispose]();
  });

  /** The same account by each gateway. */
  const account = async (limits = {}) => {
    const key = await store.account({ concurrent_limit: null, ...limits });
    const [first, second] = gateways.map(({ url }) => accountCalls(url, key));
    if (!first || !second) throw new Error('two gateways');
    return { first, second };
  };
  const idOf = (answer: Answer): string => {
    expect(answer.status).toBe(200);
    return answer.json.browserId;
  };
  const row = (id: string) =>
    store.db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  /** The account's hours are those of its sessions, each once. */
  const expectBilledOnce = async ({ get }: Pick<TestAccount, 'get'>, sessions: number) => {
    const records: { billedSeconds: number }[] = (await get('/user/api/sessions')).json.sessions;
    const browserSeconds = records.reduce((sum, { billedSeconds }) => sum + billedSeconds, 0);
    expect((await get('/user/api/me')).json.usage).toMatchObject({ sessions, browserSeconds });
    for (const { billedSeconds } of records)
      expect(billedSeconds).toBeGreaterThanOrEqual(quick.minBilledSeconds);
  };
  const stateOf = async (id: string) => (await row(id)).state;
  const hostRow = (name: string) =>
    store.db.selectFrom('hosts').selectAll().where('name', '=', name).executeTakeFirstOrThrow();

  test('a host that is lost has its sessions DEAD within a lease and a half, as of its last word; one that returns ends them', async () => {
    const { first, second } = await account({ concurrent_limit: 2 });
    const killed = idOf(await first.create({ region: 'killed' }));
    const paused = idOf(await second.create({ region: 'paused' }));
    await host('killed').kill();
    host('paused').pause();
    const withinMs = 1.5 * quick.leaseMs + 3000;
    for (const id of [killed, paused])
      await expect.poll(() => stateOf(id), { timeout: withinMs }).toBe('DEAD');
    for (const [name, id] of Object.entries({ killed, paused })) {
      const { ended_at, end_reason } = await row(id);
      expect(end_reason).toBe('host_lost');
      const { created_at } = await row(id);
      expect(ended_at).toBe(Math.max(created_at, (await hostRow(name)).heartbeat_at));
    }
    expect((await first.get('/user/api/limits')).json).toMatchObject({ active: 0, remaining: 2 });
    expect((await second.connect({ region: 'paused' })).status).toBe(503);

    expect(host('paused').browsers()).toEqual([paused]);
    host('paused').resume();
    const { json } = await second.create({ region: 'paused', wait: 30 });
    expect(host('paused').browsers()).toEqual([json.browserId]);
    await startHost('killed');
    const again = idOf(await first.create({ region: 'killed', wait: 30 }));
    for (const id of [json.browserId, again]) await first.close(id);
    await expectBilledOnce(first, 4);
  });

  test('a drained host takes no new sessions, keeps those it has, and goes when it is removed', async () => {
    const { first, second } = await account();
    await startHost('drained');
    const id = idOf(await first.create({ region: 'drained', wait: 30 }));
    await drainHost(store.db, 'drained');
    await expect.poll(async () => (await second.connect({ region: 'drained' })).status).toBe(503);
    expect((await listHosts(store.db, Date.now())).find(({ name }) => name === 'drained')?.state).toBe(
      'draining',
    );
    await expect(removeHost(store.db, 'drained')).rejects.toThrow('Host drained has 1 running session');
    expect(host('drained').browsers()).toEqual([id]);
    await undrainHost(store.db, 'drained');
    const more = idOf(await second.create({ region: 'drained', wait: 30 }));
    for (const open of [id, more]) expect((await first.close(open)).json.status).toBe('CLOSED');
    await removeHost(store.db, 'drained');
    await expect.poll(() => host('drained').process.exitCode).toBe(1);
    expect((await listHosts(store.db, Date.now())).map(({ name }) => name)).not.toContain('drained');
    await expect(removeHost(store.db, 'drained')).rejects.toThrow('There is no host drained');
  });

  test('a host that is told to stop ends its sessions in order, and says so', async () => {
    const { first } = await account();
    await startHost('stopped');
    const id = idOf(await first.create({ region: 'stopped', wait: 30 }));
    expect(await host('stopped').stop()).toBe(0);
    expect(await row(id)).toMatchObject({ state: 'CLOSED', end_reason: 'host_stopped' });
    // The name is free at once, for a run at another address too; this one lets its sessions live out.
    await startHost('stopped', 60);
    const again = idOf(await first.create({ region: 'stopped', wait: 30 }));
    const stopped = host('stopped').stop();
    await expect.poll(async () => (await hostRow('stopped')).phase).toBe('leaving');
    await expect.poll(async () => (await first.create({ region: 'stopped' })).status).toBe(503);
    expect(host('stopped').browsers()).toEqual([again]);
    expect((await first.close(again)).json.status).toBe('CLOSED');
    expect(await stopped).toBe(0);
  });

  test('while PostgreSQL is away sessions go on, and what ended meanwhile is told after, once', async () => {
    const { first, second } = await account();
    const [stays, crashes, expires] = [
      idOf(await first.create({ region: 'steady' })),
      idOf(await first.create({ region: 'steady' })),
      idOf(await second.create({ region: 'steady' })),
    ];
    await postgres.stop();
    expect((await first.connect()).status).toBe(503);
    const crashedAt = Date.now();
    await host('steady').tell({ transfer: { sessionId: crashes, bytesUp: 7, bytesDown: 70 } });
    await host('steady').tell({ crash: crashes });
    // Longer than a lease: nobody may take the host for lost when the store is back.
    await delay(quick.leaseMs + 1000);
    expect(host('steady').browsers().sort()).toEqual([stays, expires].sort());
    await postgres.start();
    await expect.poll(() => stateOf(crashes).catch(() => '')).toBe('DEAD');
    const { ended_at, bytes_down } = await row(crashes);
    expect(Math.abs((ended_at ?? 0) - crashedAt)).toBeLessThan(1000);
    expect(bytes_down).toBe(70);
    const { heartbeat_at } = await hostRow('steady');
    await expect.poll(async () => (await hostRow('steady')).heartbeat_at).toBeGreaterThan(heartbeat_at);
    expect(await Promise.all([stays, expires].map(stateOf))).toEqual(['ACTIVE', 'ACTIVE']);
    for (const id of [stays, expires]) expect((await second.close(id)).json.status).toBe('CLOSED');
    await expectBilledOnce(first, 3);
  });

  test('gateways are restarted in turn under load, and a single retry mends what a client sees', async () => {
    const key = await store.account({ concurrent_limit: null, creates_per_minute: 100_000 });
    const id = idOf(await accountCalls(gateways[0]?.url ?? '', key).create({ region: 'steady' }));
    let running = true;
    let served = 0;
    const failures: unknown[] = [];
    const expectOk = ({ status, text }: Answer) => {
      if (status !== 200) throw new Error(`${status} ${text}`);
    };
    const request = async (url: string, turn: number) => {
      const calls = accountCalls(url, key);
      if (turn % 5 > 0) return expectOk(await calls.get(`/api/browser/${id}/status`));
      const opened = await calls.create({ region: 'steady' });
      expectOk(opened);
      await calls.close(opened.json.browserId).catch(() => {});
    };
    /** As behind a load balancer: what fails is sent once more, and comes to the other gateway. */
    const client = async (turn: number) => {
      for (; running; turn += 1) {
        const [here = '', there = ''] = gateways.map(({ url }) => url).toSpliced(0, turn % 2);
        const other = there || (gateways[0]?.url ?? '');
        await request(here, turn).catch(() => request(other, turn).catch((error) => failures.push(error)));
        served += 1;
      }
    };
    const clients = [0, 1, 2].map(client);
    for (const [index, gateway] of gateways.entries()) {
      expect(await gateway.stop()).toBe(0);
      gateways[index] = await gateway.again();
      const before = served;
      await expect.poll(() => served).toBeGreaterThan(before + 12);
    }
    running = false;
    await Promise.all(clients);
    expect(failures).toEqual([]);
    expect(await stateOf(id)).toBe('ACTIVE');
    await accountCalls(gateways[0]?.url ?? '', key).close(id);
  });
});
