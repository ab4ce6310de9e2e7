// @module-tag slow

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { preloadQuickTime, quick } from '../faults/quick-time.ts';
import { type SharedDatabase, sharedDatabase } from '../fixtures/database/shared-database.ts';
import { accountCalls } from '../fixtures/gateway/gateway.ts';
import { withClockOff } from '../fixtures/process/shifted-clock.ts';
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

const hour = 3_600_000;

/** Leases of three seconds, and bills from a second on (tests/faults/quick-time.ts). */
describe('a cluster whose machines are wrong about the time by an hour, either way', () => {
  let database: SharedDatabase;
  let store: ClusterStore;
  let gateways: ClusterGateway[];
  let hosts: StandInHostProcess[];

  beforeAll(async () => {
    database = await sharedDatabase();
    store = await openClusterStore(database.url);
    gateways = await Promise.all(
      [hour, -hour].map((off) => startClusterGateway(database.url, withClockOff(off, preloadQuickTime))),
    );
    hosts = await Promise.all(
      [-hour, hour].map((off, index) =>
        startStandInHost(`host-${index}`, gateways, {
          TURNPIKE_HOST_REGION: `r${index}`,
          ...withClockOff(off, preloadQuickTime),
        }),
      ),
    );
    await store.hostsTakeWork(2);
  });

  afterAll(async () => {
    await Promise.all([...hosts, ...gateways].map((part) => part[Symbol.asyncDispose]()));
    await store[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const callers = async (limits = {}) => {
    const key = await store.account({ concurrent_limit: null, ...limits });
    return gateways.map(({ url }) => accountCalls(url, key));
  };
  const row = (id: string) =>
    store.db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const beats = async (name: string) =>
    (
      await store.db
        .selectFrom('hosts')
        .select('heartbeat_at')
        .where('name', '=', name)
        .executeTakeFirstOrThrow()
    ).heartbeat_at;

  test('sessions of either gateway on either host live on past a lease, and are billed to the second', async () => {
    const sides = await callers();
    const beganAt = Date.now();
    const opened = await Promise.all(
      sides.flatMap((side) =>
        ['r0', 'r1'].map((region) => side.create({ region, maxLifetime: 600, wait: 10 })),
      ),
    );
    const ids = opened.map(({ json }) => json.browserId as string);
    for (const id of ids) expect(Math.abs((await row(id)).created_at - beganAt)).toBeLessThan(60_000);
    // Both gateways look for what is lost and overdue, again and again.
    const since = await beats('host-0');
    await expect.poll(() => beats('host-0')).toBeGreaterThan(since + 2 * quick.leaseMs);
    for (const id of ids) expect((await row(id)).state).toBe('ACTIVE');
    const [crashed = '', ...others] = ids;
    await hosts[0]?.tell({ crash: crashed });
    await expect.poll(async () => (await row(crashed)).state).toBe('DEAD');
    for (const [index, id] of others.entries())
      expect((await sides[index % 2]?.close(id))?.json.status).toBe('CLOSED');
    const endedBy = Date.now();
    for (const id of ids) {
      const { created_at, ended_at, billed_seconds } = await row(id);
      expect(ended_at).toBeGreaterThan(since + quick.leaseMs);
      expect(ended_at).toBeLessThan(endedBy + 1000);
      expect(billed_seconds).toBe(Math.ceil(((ended_at ?? 0) - created_at) / 1000));
    }
  });

  test('a window of 20 creates lets 20 through, whichever gateways they go to', async () => {
    const sides = await callers({ creates_per_minute: 20 });
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => sides[i % 2]?.create({ proxy: 'not a proxy' })),
    );
    expect(answers.filter((answer) => answer?.json?.code === 'PROXY_INVALID')).toHaveLength(20);
    expect(answers.filter((answer) => answer?.json?.code === 'RATE_LIMIT')).toHaveLength(40);
  });

  test('a host that is lost is found lost, and its sessions end with its last heartbeat', async () => {
    const [first, second] = await callers();
    const { browserId } = (await first?.create({ region: 'r1', maxLifetime: 600, wait: 10 }))?.json ?? {};
    await hosts[1]?.kill();
    await expect.poll(async () => (await row(browserId)).state).toBe('DEAD');
    const { created_at, ended_at } = await row(browserId);
    expect(ended_at).toBe(Math.max(created_at, await beats('host-1')));
    expect((await second?.get(`/api/browser/${browserId}/status`))?.json.status).toBe('DEAD');
  });
});
