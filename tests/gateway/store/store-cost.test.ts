import { unobserved } from '@turnpike/process/observation';
import { expect, test } from 'vitest';
import { engines, startGatewayOn, type TestGateway } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

watchLeaks();

/** Statements that the gateway has sent so far, what begins and ends a transaction included. */
async function statements({ observation }: TestGateway): Promise<number> {
  const text = await observation.registry.getSingleMetricAsString('turnpike_gateway_store_duration_seconds');
  return Array.from(text.matchAll(/_count\{\S+ (\d+)/g)).reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The least of a few tries: leases are kept meanwhile, once in a while. */
async function costOf(gateway: TestGateway, call: () => Promise<unknown>): Promise<number> {
  const costs: number[] = [];
  for (let round = 0; round < 5; round++) {
    const before = await statements(gateway);
    await call();
    costs.push((await statements(gateway)) - before);
  }
  return Math.min(...costs);
}

test.each(engines)(
  'on %s an authenticated read is one statement, and so are those that come together',
  async (engine) => {
    await using gateway = await startGatewayOn(engine, { observation: unobserved() });
    const account = await gateway.account();
    const { browserId, cdpUrl } = (await account.create()).json;
    const paths = [
      '/user/api/limits',
      `/api/browser/${browserId}/status`,
      `/api/browser/${cdpUrl.split('/').at(-1)}/status`,
    ];
    for (const path of paths) expect(await costOf(gateway, () => account.get(path))).toBe(1);
    const ids = [browserId, ...Array.from({ length: 99 }, (_, i) => `br_${String(i).padStart(24, '0')}`)];
    const bulk = () => account.post('/api/browser/status/bulk', { browserIds: ids });
    // The key, and all ids together.
    expect(await costOf(gateway, bulk)).toBe(2);
    const many = () => Promise.all(Array.from({ length: 40 }, () => account.get('/user/api/limits')));
    expect(await costOf(gateway, many)).toBeLessThan(40);
  },
);

test('on PostgreSQL a create that is refused is two statements, whatever refuses it', async () => {
  await using gateway = await startGatewayOn('postgres', { observation: unobserved() });
  const full = await gateway.account({ concurrent_limit: 0 });
  const spent = await gateway.account({ browser_seconds_cap: 0 });
  const hasty = await gateway.account({ creates_per_minute: 1 });
  const malformed = await gateway.account();
  for (const [account, code] of [
    [full, 'CONCURRENCY_LIMIT'],
    [spent, 'USAGE_CAP_REACHED'],
    [hasty, 'RATE_LIMIT'],
    [malformed, 'PROXY_INVALID'],
  ] as const) {
    const proxy = account === malformed ? 'nonsense' : account.proxy;
    await account.create({ proxy });
    const create = async () => expect((await account.create({ proxy })).json).toMatchObject({ code });
    expect(await costOf(gateway, create)).toBe(2);
  }
});
