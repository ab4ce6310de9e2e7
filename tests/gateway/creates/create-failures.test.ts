import { expect, test } from 'vitest';
import { startDashboardHarness } from '../../dashboard/harness.ts';
import { startTestGateway } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks();

describeEach(quickOn('sqlite'))('failed creates on %s', (engine) => {
  test('are counted by day and reason, over all gateways, without a row for each', async () => {
    await using harness = await startDashboardHarness(engine);
    const { gateway, location } = harness;
    const { clock } = gateway;
    await using other = await startTestGateway(location, { hostName: 'other', clock });
    const { visitor } = await harness.operatorPerson();
    const account = await gateway.account({ concurrent_limit: 0, creates_per_minute: 1000 });
    const noon = Date.UTC(2026, 10, 15, 12);
    clock.set(noon);
    await Promise.all(Array.from({ length: 50 }, () => account.create()));
    const elsewhere = await other.account({ concurrent_limit: 0 });
    await elsewhere.create();
    await elsewhere.create();
    const free = await gateway.account();
    await free.create({ proxy: 'nonsense' });
    expect((await free.create()).status).toBe(200);
    const flush = () => Promise.all([gateway, other].map(({ running }) => running.gateway.failures.flush()));
    await flush();
    const { db } = gateway.running.gateway;
    const rows = () => db.selectFrom('create_failures').selectAll().orderBy('code').execute();
    expect(await rows()).toEqual([
      { hour: noon, code: 'CONCURRENCY_LIMIT', creates: 52 },
      { hour: noon, code: 'PROXY_INVALID', creates: 1 },
    ]);
    await flush();
    expect(await rows()).toHaveLength(2);

    const page = await visitor.get('/dashboard/api/operator/statistics?from=2026-11-14&to=2026-11-15');
    expect(page.json.days).toMatchObject([
      { date: '2026-11-14', failedCreates: 0 },
      { date: '2026-11-15', failedCreates: 53, started: 1 },
    ]);
    expect(page.json.failures).toEqual([
      { code: 'CONCURRENCY_LIMIT', creates: 52 },
      { code: 'PROXY_INVALID', creates: 1 },
    ]);
  });

  test('are kept while the store is away', async () => {
    await using harness = await startDashboardHarness(engine);
    const { failures, db } = harness.gateway.running.gateway;
    failures.count('CAPACITY');
    await db.schema.alterTable('create_failures').renameTo('away').execute();
    await failures.flush();
    failures.count('CAPACITY');
    await db.schema.alterTable('away').renameTo('create_failures').execute();
    await failures.flush();
    expect(await db.selectFrom('create_failures').select(['code', 'creates']).execute()).toEqual([
      { code: 'CAPACITY', creates: 2 },
    ]);
  });

  test('of years ago are deleted', async () => {
    await using harness = await startDashboardHarness(engine);
    const { failures, db } = harness.gateway.running.gateway;
    failures.count('CAPACITY');
    await failures.flush();
    harness.gateway.clock.advance(401 * 86_400_000);
    failures.count('RATE_LIMIT');
    await failures.flush();
    expect(await db.selectFrom('create_failures').select('code').execute()).toEqual([{ code: 'RATE_LIMIT' }]);
  });
});
