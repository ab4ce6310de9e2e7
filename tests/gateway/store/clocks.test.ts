import { afterEach, expect, test, vi } from 'vitest';
import {
  createAccount,
  createOperatorToken,
  inviteOperator,
  storeTime,
} from '../../../apps/gateway/src/administration.ts';
import { startGatewayOn, startTestGateway, testSealer, testStore } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks();

const hour = 3_600_000;

afterEach(() => void vi.restoreAllMocks());

/** Somebody sets the machine's clock. */
function setWallClock(byMs: number): void {
  const real = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => real() + byMs);
}

describeEach(quickOn('postgres'))("the machine's clock is set while a gateway on %s runs", (engine) => {
  test.each([
    ['an hour forward', hour],
    ['an hour back', -hour],
  ])('%s: nothing ends, nothing is billed for it, and windows stay what they are', async (_, byMs) => {
    await using gateway = await startGatewayOn(engine, { usesStoreClock: true });
    const account = await gateway.account({ creates_per_minute: 3 });
    const [first, second] = [await account.create({ maxLifetime: 120 }), await account.create()];
    setWallClock(byMs);
    await gateway.running.leases.tick();
    const running: { browserId: string }[] = (await account.get('/api/browsers')).json;
    expect(running).toHaveLength(2);
    gateway.host.end(first.json.browserId, 'gone');
    await expect.poll(async () => (await account.get('/api/browsers')).json.length).toBe(1);
    await account.close(second.json.browserId);
    const { sessions } = (await account.get('/user/api/sessions')).json;
    for (const { billedSeconds } of sessions) expect(billedSeconds).toBe(30);
    expect((await account.create()).status).toBe(200);
    expect((await account.create()).json.code).toBe('RATE_LIMIT');
  });

  test('accounts, users, links, tokens and the audit log have the time of the store', async () => {
    await using store = await testStore(engine);
    await using gateway = await startTestGateway(store.location, { usesStoreClock: true });
    const { db } = gateway.running.gateway;
    setWallClock(hour);
    const from = await storeTime(db);
    await createAccount(db, testSealer, { email: 'ann@example.com', name: '' });
    await createOperatorToken(db, 'fleet');
    const link = await inviteOperator(db, 'op@example.com', { publicUrl: 'http://localhost' });
    const to = await storeTime(db);
    const times = [
      ...(await db.selectFrom('accounts').select('created_at').execute()),
      ...(await db.selectFrom('operator_tokens').select('created_at').execute()),
      ...(await db.selectFrom('users').select('created_at').execute()),
      ...(await db.selectFrom('audit_log').select('at as created_at').execute()),
    ].map(({ created_at }) => created_at);
    expect(times).toHaveLength(6);
    times.push(Date.parse(link.expiresAt) - 7 * 24 * hour);
    for (const time of times) {
      expect(time).toBeGreaterThanOrEqual(from);
      expect(time).toBeLessThanOrEqual(to);
    }
  });
});

test('a store whose latest creates were written by a clock an hour ahead lets creates through', async () => {
  await using gateway = await startGatewayOn('sqlite');
  const account = await gateway.account({ creates_per_minute: 2 });
  gateway.clock.advance(hour);
  for (let i = 0; i < 2; i++) await account.create();
  gateway.clock.advance(-hour);
  expect((await account.create()).status).toBe(200);
});
