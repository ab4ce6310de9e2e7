import { createLogger } from '@turnpike/process/logger';
import { describe, expect, test } from 'vitest';
import { createAccount, setLimits } from '../../../apps/gateway/src/accounts/manage-account.ts';
import { openDatabase, type StoreLocation } from '../../../apps/gateway/src/store/database.ts';
import {
  accountCalls,
  type Engine,
  type TestAccount,
  testSealer,
  testStore,
} from '../../fixtures/gateway/gateway.ts';
import { GatewayProcess } from '../../fixtures/gateway/gateway-child.ts';
import { startSquid } from '../../fixtures/network/squid.ts';
import { expectNoLeaks, takeSnapshot, watchLeaks } from '../../fixtures/suite/leaks.ts';
import { testEach } from '../../fixtures/suite/matrix.ts';

watchLeaks();

async function newAccount(store: StoreLocation, concurrent: number): Promise<string> {
  const db = await openDatabase(store, createLogger('silent'));
  const email = 'a@example.com';
  const { apiKey } = await createAccount(db, testSealer, { email, name: '' });
  await setLimits(db, email, { concurrent_limit: concurrent, creates_per_minute: 1000 });
  await db.destroy();
  return apiKey;
}

test('200 parallel creates over two gateway processes on one PostgreSQL give exactly 5 sessions', async () => {
  await using store = await testStore('postgres');
  const key = await newAccount(store.location, 5);
  const options = { store: store.location, createTimeoutMs: 20_000, realBrowsers: false };
  await using first = await GatewayProcess.start({ ...options, hostName: 'one' });
  await using second = await GatewayProcess.start({ ...options, hostName: 'two' });
  const accounts = [first, second].map(({ url }) => accountCalls(url, key));
  const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => accounts[i % 2]?.connect()));
  expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(5);
  expect(answers.filter((answer) => answer?.json?.code === 'CONCURRENCY_LIMIT')).toHaveLength(195);
  for (const account of accounts) {
    expect((await account.get('/user/api/limits')).json).toMatchObject({ active: 5, remaining: 0 });
  }
});

describe('SIGKILL between any two steps of a create loses no slot and leaves no browser', () => {
  testEach<[Engine, number]>({
    quick: [['postgres', 8]],
    slow: [
      ['sqlite', 1],
      ['postgres', 1],
    ],
  })('on %s, one of each %d', async (engine, stride) => {
    await using store = await testStore(engine);
    const steps = await killAtEachStep(store.location, {
      realBrowsers: false,
      proxy: 'http://198.51.100.7:1',
      stride,
    });
    expect(steps).toBeGreaterThan(8);
  });

  test('with real browsers', { tags: 'slow' }, async () => {
    await using store = await testStore('sqlite');
    await using squid = await startSquid();
    await killAtEachStep(store.location, {
      realBrowsers: true,
      proxy: `http://127.0.0.1:${squid.port}`,
      stride: 6,
    });
  });
});

const limit = 100;

/** Kills a gateway at the first step of a create, the next `stride` steps later, … until a create gets through. */
async function killAtEachStep(
  store: StoreLocation,
  { realBrowsers, proxy, stride }: { realBrowsers: boolean; proxy: string; stride: number },
): Promise<number> {
  const key = await newAccount(store, limit);
  const before = takeSnapshot();
  let steps = 0;
  const createTimeoutMs = realBrowsers ? 10_000 : 1000;
  for (let through = false; !through; steps += stride) {
    expect(steps).toBeLessThan(80);
    await using gateway = await GatewayProcess.start({
      store,
      hostName: `host-${steps}`,
      createTimeoutMs,
      realBrowsers,
    });
    await gateway.ask({ killAtStep: steps + 1 });
    const answer = await accountCalls(gateway.url, key)
      .connect({ proxy, headless: 'true' })
      .catch(() => undefined);
    through = answer?.status === 200;
    if (!through) await gateway.exited;
  }
  await expectNoLeaks(before);

  await using survivor = await GatewayProcess.start({
    store,
    hostName: 'survivor',
    createTimeoutMs: 1000,
    realBrowsers: false,
  });
  const account: Pick<TestAccount, 'get'> = accountCalls(survivor.url, key);
  // Creates are reaped at their deadline, sessions of dead hosts when the lease has lapsed: by its clock, now.
  await survivor.ask({ advanceMs: createTimeoutMs + 15_000 });
  await expect
    .poll(async () => (await account.get('/user/api/limits')).json, { interval: 250 })
    .toMatchObject({ active: 0, remaining: limit });
  const { sessions } = (await account.get('/user/api/sessions')).json;
  expect(new Set(sessions.map(({ status }: { status: string }) => status))).toEqual(new Set(['DEAD']));
  const { usage } = (await account.get('/user/api/me')).json;
  expect(usage).toMatchObject({ sessions: sessions.length, browserSeconds: sessions.length * 30 });
  return steps;
}
