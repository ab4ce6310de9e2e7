// @module-tag slow

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { preloadQuickTime, quick } from '../faults/quick-time.ts';
import { type SharedDatabase, sharedDatabase } from '../fixtures/database/shared-database.ts';
import { accountCalls } from '../fixtures/gateway/gateway.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
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

/** Leases of three seconds, not ten (tests/faults/quick-time.ts). */
describe("a host's lease", () => {
  let database: SharedDatabase;
  let store: ClusterStore;
  let gateway: ClusterGateway;
  const hosts = new Map<string, StandInHostProcess>();

  beforeAll(async () => {
    database = await sharedDatabase();
    store = await openClusterStore(database.url);
    gateway = await startClusterGateway(database.url, preloadQuickTime);
    for (const name of ['held-up', 'killed']) {
      const env = { TURNPIKE_HOST_REGION: name, ...preloadQuickTime };
      hosts.set(name, await startStandInHost(name, [gateway], env));
    }
    await store.hostsTakeWork(2);
  });

  afterAll(async () => {
    await Promise.all([...hosts.values(), gateway].map((part) => part[Symbol.asyncDispose]()));
    await store[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const hostRow = (name: string) =>
    store.db.selectFrom('hosts').selectAll().where('name', '=', name).executeTakeFirstOrThrow();
  const session = (id: string) =>
    store.db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const account = async () => accountCalls(gateway.url, await store.account({ concurrent_limit: null }));

  test('outlives a main thread that is held up for longer than it lasts; no new session is placed there', async () => {
    await using directory = await scratchDirectory('held-up');
    const file = join(directory.path, 'held-up');
    const { create, close } = await account();
    const { browserId } = (await create({ region: 'held-up' })).json;
    await writeFile(file, '');
    await hosts.get('held-up')?.tell({ holdUpWhile: file });
    const since = (await hostRow('held-up')).heartbeat_at;
    await expect.poll(async () => (await hostRow('held-up')).seats).toBe(0);
    await expect
      .poll(async () => (await hostRow('held-up')).heartbeat_at)
      .toBeGreaterThan(since + 1.5 * quick.leaseMs);
    // The gateway's list of hosts is at most a second old.
    expect((await create({ region: 'held-up' })).json).toMatchObject({ code: 'CAPACITY' });
    expect((await session(browserId)).state).toBe('ACTIVE');

    await rm(file);
    await expect.poll(async () => (await hostRow('held-up')).seats).toBeGreaterThan(0);
    expect(hosts.get('held-up')?.browsers()).toEqual([browserId]);
    expect(hosts.get('held-up')?.logs()).toContain('the host was held up');
    const more = await create({ region: 'held-up', wait: 30 });
    expect(more.status).toBe(200);
    for (const id of [browserId, more.json.browserId]) expect((await close(id)).json.status).toBe('CLOSED');
  });

  test('outlives a gateway that stood still: hosts are heard before they count as lost', async () => {
    const { create, close } = await account();
    const { browserId } = (await create({ region: 'held-up' })).json;
    gateway.pause();
    const { heartbeat_at } = await hostRow('held-up');
    await expect.poll(() => Date.now() - heartbeat_at).toBeGreaterThan(1.5 * quick.leaseMs);
    gateway.resume();
    await expect.poll(async () => (await hostRow('held-up')).heartbeat_at).toBeGreaterThan(heartbeat_at);
    expect((await session(browserId)).state).toBe('ACTIVE');
    expect((await close(browserId)).json.status).toBe('CLOSED');
  });

  test('lapses with its process', async () => {
    const { create } = await account();
    const { browserId } = (await create({ region: 'killed', wait: 30 })).json;
    await hosts.get('killed')?.kill();
    await expect.poll(async () => (await session(browserId)).state).toBe('DEAD');
    expect((await session(browserId)).end_reason).toBe('host_lost');
  });
});
