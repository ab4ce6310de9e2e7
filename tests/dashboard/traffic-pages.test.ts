import { noUse, type TrafficReport } from '@turnpike/contract/traffic';
import { verifyReceipt } from '@turnpike/process/receipt-signature';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../fixtures/suite/matrix.ts';
import { type DashboardHarness, startDashboardHarness } from './harness.ts';

watchLeaks();

/** A report of hosts and the bytes that came from each. */
function report(bytesDown: Record<string, number>): TrafficReport {
  const destinations = Object.entries(bytesDown).map(([host, down]) => ({
    host,
    port: 443,
    ...noUse(),
    tunnels: 1,
    bytesUp: 1,
    bytesDown: down,
    refused: { block_hosts: 2 },
    firstAgoMs: 2000,
    lastAgoMs: 1000,
  }));
  const down = Object.values(bytesDown).reduce((sum, value) => sum + value, 0);
  return {
    bytesUp: destinations.length,
    bytesDown: down,
    bytesFromCache: 9,
    maxBytesReached: true,
    destinations,
    other: noUse(),
  };
}

const hosts = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`h${index}.test`, 1000 - index]));

describeEach(quickOn('sqlite'))('traffic in the dashboard on %s', (engine) => {
  let harness: DashboardHarness;

  beforeAll(async () => {
    harness = await startDashboardHarness(engine);
  });
  afterAll(() => harness[Symbol.asyncDispose]());

  test('of a session is live, then final, then the ten largest; the downloads are there until then', async () => {
    const { account, visitor } = await harness.accountPerson();
    const { gateway } = harness;
    const id = (await account.create({ max_bytes: 100_000 })).json.browserId;
    const path = `/dashboard/api/sessions/${id}`;
    const read = async () => (await visitor.get(`${path}/traffic`)).json;
    expect(await read()).toMatchObject({ live: false, bytesDown: 0, destinations: [], complete: true });
    gateway.host.carry(id, report(hosts(102)));
    const live = await read();
    expect(live).toMatchObject({ live: true, maxBytes: 100_000, maxBytesReached: true, bytesFromCache: 9 });
    expect(live.refused).toEqual({ block_hosts: 204 });
    expect(live.destinations).toHaveLength(100);
    expect(live.destinations[0]).toMatchObject({ host: 'h0.test', bytesUp: 1, bytesDown: 1000 });
    expect(live.other).toMatchObject({ tunnels: 2, bytesUp: 2, bytesDown: 900 + 899 });
    const receiptPath = `/api/browser/${id}/receipt`;
    expect(await visitor.get(receiptPath)).toMatchObject({ status: 409 });

    await account.close(id);
    expect(await read()).toMatchObject({ live: false, complete: true, bytesDown: live.bytesDown });
    const csv = await visitor.get(`${path}/traffic/csv`);
    expect(csv.headers.get('content-disposition')).toBe(`attachment; filename="${id}-traffic.csv"`);
    expect(csv.text.trim().split('\r\n')).toHaveLength(1 + 102 + 1);
    const receipt = await visitor.get(receiptPath);
    const keys = (await call(`${gateway.url}/.well-known/turnpike-receipt-keys`)).text;
    expect(verifyReceipt(receipt.text, keys)).toMatchObject({ session: { browserId: id } });

    const { visitor: other } = await harness.accountPerson();
    for (const route of [`${path}/traffic`, `${path}/traffic/csv`, receiptPath])
      expect((await other.get(route)).status, route).toBe(404);

    const { db } = gateway.running.gateway;
    await db.updateTable('sessions').set({ readable_until: 0 }).where('id', '=', id).execute();
    await db.deleteFrom('session_traffic').where('session_id', '=', id).execute();
    const late = await read();
    expect(late).toMatchObject({ complete: false, maxBytesReached: true, refused: { block_hosts: 204 } });
    expect(late.destinations).toHaveLength(10);
    expect(late.destinations[9].bytesDown + late.other.bytesDown).toBe(
      live.bytesDown - Array.from({ length: 9 }, (_, index) => 1000 - index).reduce((a, b) => a + b),
    );
    for (const route of [`${path}/traffic/csv`, receiptPath])
      expect((await visitor.get(route)).status, route).toBe(404);
  });

  test('of the account has every day, and the largest destinations of them all', async () => {
    const { account, visitor } = await harness.accountPerson();
    const end = async (bytesDown: Record<string, number>) => {
      const id = (await account.create()).json.browserId;
      harness.gateway.host.carry(id, report(bytesDown));
      await account.close(id);
    };
    await end({ 'a.test': 10, 'b.test': 30 });
    await end({ 'a.test': 25, ...hosts(100) });
    const { json } = await visitor.get('/dashboard/api/traffic');
    const today = new Date(harness.gateway.clock.now()).toISOString().slice(0, 10);
    expect(json.days).toHaveLength(30);
    const sum = 65 + 100 * 1000 - 4950;
    expect(json.days.at(-1)).toEqual({ date: today, bytesUp: 103, bytesDown: sum });
    expect(json.totals).toMatchObject({ bytesDown: sum, tunnels: 103, refused: 206, bytesFromCache: 18 });
    expect(json.destinations).toHaveLength(100);
    expect(json.destinations[0]).toMatchObject({ host: 'h0.test', port: 443, bytesDown: 1000 });
    // The two sessions' traffic to it is one destination, and among the others.
    expect(json.other).toEqual({ requests: 0, tunnels: 3, bytesUp: 3, bytesDown: 65, refused: 6 });
    const csv = await visitor.get(`/dashboard/api/traffic/csv?from=${today}&to=${today}`);
    expect(csv.headers.get('content-disposition')).toBe(
      `attachment; filename="traffic-${today}-${today}.csv"`,
    );
    expect(csv.text).toContain(`${today},h0.test,443,0,1,1,1000,2`);
    expect((await visitor.get('/dashboard/api/traffic?from=2026-13-01')).status).toBe(400);

    const { visitor: other } = await harness.accountPerson();
    expect((await other.get('/dashboard/api/traffic')).json).toMatchObject({
      totals: { bytesUp: 0, bytesDown: 0, refused: 0, bytesFromCache: 0 },
      destinations: [],
      other: { bytesDown: 0 },
    });
  });
});
