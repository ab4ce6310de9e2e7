// @module-tag slow

import { once } from 'node:events';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { type SharedDatabase, sharedDatabase } from '../fixtures/database/shared-database.ts';
import { type Answer, accountCalls } from '../fixtures/gateway/gateway.ts';
import { type Squid, startSquid } from '../fixtures/network/squid.ts';
import {
  type ClusterGateway,
  type ClusterHost,
  type ClusterStore,
  openClusterStore,
  startClusterGateway,
  startClusterHost,
} from '../fixtures/service/cluster.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks({ wholeFile: true });

/** Three gateways and three hosts with real browsers, each in a process of its own, on one PostgreSQL. */
describe('a cluster with real browsers', () => {
  let database: SharedDatabase;
  let store: ClusterStore;
  let squid: Squid;
  let gateways: ClusterGateway[];
  let hosts: ClusterHost[];

  beforeAll(async () => {
    [database, squid] = await Promise.all([sharedDatabase(), startSquid()]);
    store = await openClusterStore(database.url);
    gateways = await Promise.all([0, 1, 2].map(() => startClusterGateway(database.url)));
    hosts = await Promise.all(
      [0, 1, 2].map((index) =>
        startClusterHost(`real-${index}`, gateways, {
          TURNPIKE_HOST_SEATS: '2',
          TURNPIKE_HOST_UID_BASE: `${400_000 + 1000 * index}`,
        }),
      ),
    );
    await store.hostsTakeWork(3);
  });

  afterAll(async () => {
    await Promise.all(hosts.map((host) => host.stop()));
    await Promise.all(gateways.map((gateway) => gateway[Symbol.asyncDispose]()));
    await store[Symbol.asyncDispose]();
    await squid[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const callers = (key: string) =>
    gateways.map(({ url }) => accountCalls(url, key, `http://127.0.0.1:${squid.port}`));

  test('racing creates give exactly the limit, on several hosts, and any gateway drives and closes them', async () => {
    const all = callers(await store.account({ concurrent_limit: 4 }));
    const answers = await Promise.all(
      Array.from({ length: 15 }, (_, i) => all[i % 3]?.create({ headless: true })),
    );
    const opened = answers.filter((answer): answer is Answer => answer?.status === 200);
    expect(answers.filter((answer) => answer?.json?.code === 'CONCURRENCY_LIMIT')).toHaveLength(11);
    expect(opened).toHaveLength(4);
    expect(new Set(opened.map(({ json }) => json.metadata.turnpike.host)).size).toBeGreaterThan(1);

    const sockets = await Promise.all(opened.map(({ json }) => connected(json.cdpUrl)));
    const browser = await chromium.connectOverCDP(opened[0]?.json.cdpUrl);
    const page = await browser.contexts()[0]?.newPage();
    expect(await page?.evaluate('1 + 1')).toBe(2);

    // A gateway goes and comes back: no browser and no socket notices.
    expect(await gateways[0]?.stop()).toBe(0);
    gateways[0] = (await gateways[0]?.again()) as ClusterGateway;
    expect(sockets.map(({ readyState }) => readyState)).toEqual([1, 1, 1, 1]);
    expect(await page?.evaluate('2 + 2')).toBe(4);
    await browser.close();

    const closed = sockets.map((socket) => once(socket, 'close'));
    for (const [i, { json }] of opened.entries()) {
      const answer = await all[(i + 1) % 3]?.close(json.browserId);
      expect(answer?.json).toEqual({ browserId: json.browserId, status: 'CLOSED' });
    }
    for (const [code, reason] of await Promise.all(closed))
      expect([code, `${reason}`]).toEqual([4000, 'CLOSED']);
    expect((await all[0]?.get('/user/api/limits'))?.json).toMatchObject({ active: 0, remaining: 4 });
  });

  test('a host that is killed takes its browsers with it, and its sessions are DEAD within 15 s', async () => {
    const [first, second] = callers(await store.account());
    const answer = await first?.create({ headless: true });
    const { browserId, metadata } = answer?.json ?? {};
    const host = hosts.find(({ name }) => name === metadata.turnpike.host);
    await host?.kill();
    await expect
      .poll(async () => (await second?.get(`/api/browser/${browserId}/status`))?.json.status)
      .toBe('DEAD');
    expect((await second?.get('/user/api/limits'))?.json).toMatchObject({ active: 0 });
  });
});

async function connected(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  return socket;
}
