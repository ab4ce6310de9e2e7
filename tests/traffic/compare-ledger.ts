import { expect } from 'vitest';
import type { Database } from '../../apps/gateway/src/store/database.ts';
import { sharedDatabase } from '../fixtures/database/shared-database.ts';
import { accountCalls } from '../fixtures/gateway/gateway.ts';
import {
  type CountingProxy,
  startCountingProxy,
  type WireBytes,
} from '../fixtures/network/counting-proxy.ts';
import { openClusterStore, startClusterGateway, startClusterHost } from '../fixtures/service/cluster.ts';
import { startService } from '../fixtures/service/service.ts';
import { differences, mixOf, openTraffic, readTraffic } from './mixed-traffic.ts';
import { randomFrom } from './random.ts';

export interface CompareOptions {
  sessions: number;
  seed: number;
  tls: { cert: Buffer; key: Buffer };
}

/** One session: bytes as the ledger has them, and differences of the ledger's sums and of the other side's count. */
export interface Compared extends WireBytes {
  destinations: number;
  refused: number;
  ledger: number;
  wire: number;
}

const atOnce = 3;

/** Runs sessions of mixed traffic on a whole service, and compares each ledger with a counter behind the forwarder. */
export async function compareSessions({ sessions, seed, tls }: CompareOptions): Promise<Compared[]> {
  await using service = await startService({
    env: { TURNPIKE_PROXY_ALLOW: '127.0.0.0/8', TURNPIKE_HOST_WARM_HEADLESS: '2' },
  });
  const account = await service.account({ creates_per_minute: 100_000 });
  const compared: Compared[] = [];
  const numbers = Array.from({ length: sessions }, (_, i) => i).values();
  const some = async () => {
    for (const number of numbers) {
      await using proxy = await startCountingProxy(tls);
      const random = randomFrom(seed * 1_000_003 + number);
      await using traffic = await openTraffic(account, proxy);
      await traffic.run(mixOf(random));
      await expectLive(account, traffic.id, proxy);
      await account.close(traffic.id);
      compared.push(await settled(account, traffic.id, proxy));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, some));
  return compared;
}

/** While its connections are open, too. */
async function expectLive(
  account: Parameters<typeof readTraffic>[0],
  id: string,
  proxy: CountingProxy,
): Promise<void> {
  const now = async () => differences(await readTraffic(account, id), proxy.bytes());
  await expect.poll(now, { timeout: 5000 }).toEqual({ ledger: 0, wire: 0 });
}

async function settled(
  account: Parameters<typeof readTraffic>[0],
  id: string,
  proxy: CountingProxy,
  wire?: WireBytes,
): Promise<Compared> {
  await expect.poll(() => proxy.open(), { timeout: 10_000 }).toBe(0);
  const read = await readTraffic(account, id);
  const { bytesUp, bytesDown, destinations, refused } = read;
  return {
    bytesUp,
    bytesDown,
    destinations: destinations.length,
    refused: Object.values(refused).reduce((sum, count) => sum + count, 0),
    ...differences(read, wire ?? proxy.bytes()),
  };
}

const onOneHost = 5;

/** Kills hosts under their sessions, and compares what is stored with the count at their last heartbeat. */
export async function compareKilled({ sessions, seed, tls }: CompareOptions): Promise<Compared[]> {
  await using database = await sharedDatabase();
  await using gateway = await startClusterGateway(database.url);
  await using store = await openClusterStore(database.url);
  const account = accountCalls(gateway.url, await store.account());
  const compared: Compared[] = [];
  for (let first = 0; first < sessions; first += onOneHost) {
    const name = `killed-${first}`;
    await using host = await startClusterHost(name, [gateway]);
    await store.hostsTakeWork(1);
    await using undo = new AsyncDisposableStack();
    const running = [];
    for (let number = first; number < Math.min(first + onOneHost, sessions); number++) {
      const proxy = undo.use(await startCountingProxy(tls));
      const { id, run } = undo.use(await openTraffic(account, proxy));
      await run(mixOf(randomFrom(seed * 1_000_003 + number)));
      await expectLive(account, id, proxy);
      running.push({ id, proxy });
    }
    const wires = await Promise.all(running.map(({ id, proxy }) => untilStored(store.db, id, proxy)));
    await host.kill();
    for (const [i, { id, proxy }] of running.entries()) {
      const state = async () => (await account.get(`/api/browser/${id}/status`)).json.status;
      await expect.poll(state, { timeout: 30_000 }).toBe('DEAD');
      compared.push(await settled(account, id, proxy, wires[i]));
    }
    await store.db.deleteFrom('hosts').where('name', '=', name).execute();
  }
  return compared;
}

/** Waits for the heartbeat that has all bytes of a session, and answers how many those are on the other side. */
async function untilStored(db: Database, id: string, proxy: CountingProxy): Promise<WireBytes> {
  const wire = proxy.bytes();
  const stored = () =>
    db
      .selectFrom('sessions')
      .select(['bytes_up as bytesUp', 'bytes_down as bytesDown'])
      .where('id', '=', id)
      .executeTakeFirst();
  await expect.poll(stored, { timeout: 10_000 }).toEqual(wire);
  return wire;
}
