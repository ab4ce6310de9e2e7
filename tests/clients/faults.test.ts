import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fault, type FaultyGateway, startFaultyGateway } from '../fixtures/faulty-gateway.ts';
import { startTestGateway, type TestGateway, type TestStore, testStore } from '../fixtures/gateway.ts';
import { watchLeaks } from '../fixtures/leaks.ts';
import { drivers } from './drivers.ts';

watchLeaks({ wholeFile: true });

let store: TestStore;
let gateway: TestGateway;
let faulty: FaultyGateway;
beforeAll(async () => {
  store = await testStore('sqlite');
  gateway = await startTestGateway(store.location);
  faulty = await startFaultyGateway(gateway.url);
});
afterAll(async () => {
  await faulty[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

/** How each fault ends when it is not to be repeated. */
const endings: Record<Fault, object> = {
  hang: { class: 'ConnectionFailedError' },
  reset: { class: 'ConnectionFailedError' },
  half: { class: 'ConnectionFailedError' },
  '502': { class: 'BrowserCreateError', statusCode: 502 },
  '503': { class: 'BrowserCreateError', statusCode: 503 },
};
const calls = { create: '/api/browser/create', connectUrl: '/connect' } as const;
const cases = (Object.keys(endings) as Fault[]).flatMap((fault) =>
  (fault === 'half' ? [true] : [true, false]).map((reached) => ({ fault, reached })),
);
const timeoutMs = 3000;

describe.each(Object.keys(drivers))('with %s', (name) => {
  /** A client that reaches the gateway through the proxy with the bad day. */
  async function client(retries: number) {
    const account = await gateway.account();
    const driver = drivers[name]?.();
    if (!driver) throw new Error(`no driver for ${name}`);
    await driver.drive('configure', { endpoint: faulty.url, apiKey: account.key, retries, timeoutMs });
    const active = async () => (await account.get('/user/api/limits')).json;
    const noneLeft = async () => {
      await expect.poll(active, { timeout: 15_000 }).toMatchObject({ active: 0, remaining: 5 });
      expect(gateway.host.busy).toBe(0);
    };
    return {
      drive: driver.drive,
      options: { proxy: account.proxy },
      noneLeft,
      [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose](),
    };
  }

  test.each(cases)(
    'a create that meets a $fault (the gateway has it: $reached) ends in the right error, in time, and leaves no browser',
    async ({ fault, reached }) => {
      for (const [call, path] of Object.entries(calls) as [keyof typeof calls, string][]) {
        await using tried = await client(0);
        faulty.plan({ fault, reached, path });
        const began = performance.now();
        expect(await tried.drive(call, tried.options)).toEqual({
          error: expect.objectContaining(endings[fault]),
        });
        expect(performance.now() - began).toBeLessThan(timeoutMs + 10_000);
        await tried.noneLeft();
      }
    },
  );

  test.each(cases.filter(({ fault }) => fault !== 'hang'))(
    'a create that is repeated after a $fault (the gateway has it: $reached) is one session',
    async ({ fault, reached }) => {
      await using tried = await client(2);
      const before = gateway.host.requests.length;
      faulty.plan({ fault, reached, path: calls.create });
      const outcome = await tried.drive('create', tried.options);
      expect(outcome).toEqual({ ok: expect.objectContaining({ status: 'ACTIVE' }) });
      expect(gateway.host.requests.length).toBe(before + 1);
      const { browserId } = (outcome as { ok: { browserId: string } }).ok;
      faulty.plan({ fault, reached });
      expect(await tried.drive('close', { sessionId: browserId })).toEqual({
        ok: expect.objectContaining({ status: 'CLOSED' }),
      });
      await tried.noneLeft();
    },
  );

  test('a read that meets a hang ends in time', async () => {
    await using tried = await client(0);
    faulty.plan({ fault: 'hang' });
    expect(await tried.drive('getLimits', {})).toEqual({
      error: expect.objectContaining({ class: 'ConnectionFailedError' }),
    });
  });
});
