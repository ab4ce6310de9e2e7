import { expect, test } from 'vitest';
import { sharedDatabase } from '../fixtures/database/shared-database.ts';
import { accountCalls } from '../fixtures/gateway/gateway.ts';
import { preloadEarlierHost } from '../fixtures/hosts/earlier-host.ts';
import { openClusterStore, startClusterGateway, startStandInHost } from '../fixtures/service/cluster.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

/** What hosts of version 0.1.0 ignore. */
const asked = {
  allow_hosts: 'example.com',
  block_hosts: 'example.com',
  max_bytes: 100_000,
  block: 'images',
  cache: 'shop',
  stealth: true,
};

test('a create goes only to hosts that act on its parameters; without one it is told which are not done yet', async () => {
  await using database = await sharedDatabase();
  await using store = await openClusterStore(database.url);
  await using gateway = await startClusterGateway(database.url);
  await using _old = await startStandInHost('old', [gateway], { ...preloadEarlierHost });
  await store.hostsTakeWork(1);
  const account = accountCalls(gateway.url, await store.account({ concurrent_limit: null }));

  expect((await account.create()).json.metadata.turnpike.host).toBe('old');
  expect((await account.create({ os: 'linux', profile: 'p', stealth: false })).status).toBe(200);
  for (const [name, value] of Object.entries(asked)) {
    const { status, json } = await account.create({ [name]: value });
    expect([status, json.code, json.error]).toEqual([
      503,
      'CAPACITY',
      `No host can do \`${name}\` yet: the hosts are of an earlier version. Try again when they are updated, or leave it out.`,
    ]);
  }
  expect((await account.get('/user/api/limits')).json.active).toBe(2);

  await using _current = await startStandInHost('current', [gateway]);
  await store.hostsTakeWork(2);
  const waiting = await account.create({ stealth: true, wait: 30 });
  expect(waiting.json.metadata.turnpike.host).toBe('current');
  for (const [name, value] of Object.entries(asked)) {
    const { json } = await account.create({ [name]: value });
    expect(json.metadata.turnpike.host).toBe('current');
  }
  const rows = await store.db.selectFrom('hosts').select(['name', 'service_version']).execute();
  for (const { service_version } of rows) expect(service_version).toMatch(/^\d+\.\d+\.\d+\+[0-9a-f]{8}$/);
});
