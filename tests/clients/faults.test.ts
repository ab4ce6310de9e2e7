import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fault, type FaultyGateway, startFaultyGateway } from '../fixtures/faulty-gateway.ts';
import { startTestGateway, type TestGateway, type TestStore, testStore } from '../fixtures/gateway.ts';
import { watchLeaks } from '../fixtures/leaks.ts';
import { drivers } from './drivers.ts';
import type { Driver } from './run-scenario.ts';

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
const calls = ['create', 'connectUrl'] as const;
const cases = (Object.keys(endings) as Fault[]).flatMap((fault) =>
  (fault === 'half' ? [true] : [true, false]).map((reached) => ({ fault, reached })),
);

describe.each(Object.entries(drivers))('with %s', (_client, start) => {
  /** An account whose client reaches the gateway through the proxy with the bad day. */
  async function tryOut(settings: object, work: (drive: Driver, proxy: string) => Promise<void>) {
    const account = await gateway.account();
    {
      await using client = start();
      await client.drive('configure', { endpoint: faulty.url, apiKey: account.key, ...settings });
      await work(client.drive, account.proxy);
    }
    // A client that is through has cleaned up.
    expect((await account.get('/user/api/limits')).json).toMatchObject({ active: 0, remaining: 5 });
    expect(gateway.host.busy).toBe(0);
  }

  test.each(cases)(
    'a create that meets a $fault (the gateway has it: $reached) ends in the right error, in time, and leaves no browser',
    async ({ fault, reached }) => {
      for (const call of calls) {
        faulty.plan({ fault, reached });
        const timeoutMs = fault === 'hang' ? 1000 : 20_000;
        const began = performance.now();
        await tryOut({ retries: 0, timeoutMs }, async (drive, proxy) => {
          expect(await drive(call, { proxy })).toEqual({ error: expect.objectContaining(endings[fault]) });
        });
        expect(performance.now() - began).toBeLessThan(15_000);
      }
    },
  );

  test.each(cases.filter(({ fault }) => fault !== 'hang'))(
    'a create that is repeated after a $fault (the gateway has it: $reached) is one session',
    async ({ fault, reached }) => {
      const before = gateway.host.requests.length;
      await tryOut({ retries: 2, timeoutMs: 20_000 }, async (drive, proxy) => {
        faulty.plan({ fault, reached });
        const outcome: any = await drive('create', { proxy });
        expect(outcome).toEqual({ ok: expect.objectContaining({ status: 'ACTIVE' }) });
        expect(gateway.host.requests.length).toBe(before + 1);
        faulty.plan({ fault, reached });
        expect(await drive('close', { sessionId: outcome.ok.browserId })).toEqual({
          ok: expect.objectContaining({ status: 'CLOSED' }),
        });
      });
    },
  );

  test('a create whose every trace is lost for a while leaves no browser either', async () => {
    faulty.plan({ fault: 'reset', reached: true, times: 3 });
    await tryOut({ retries: 0, timeoutMs: 20_000 }, async (drive, proxy) => {
      expect(await drive('create', { proxy })).toEqual({
        error: expect.objectContaining({ class: 'ConnectionFailedError' }),
      });
    });
  });

  test('a read that meets a hang ends in time', async () => {
    faulty.plan({ fault: 'hang' });
    await tryOut({ retries: 0, timeoutMs: 1000 }, async (drive) => {
      expect(await drive('getLimits', {})).toEqual({
        error: expect.objectContaining({ class: 'ConnectionFailedError' }),
      });
    });
  });
});
