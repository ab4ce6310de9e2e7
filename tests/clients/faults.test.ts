import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fault, type FaultPlan, startFaultyGateway } from '../fixtures/gateway/faulty-gateway.ts';
import { startGatewayOn, type TestGateway } from '../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { quickWhere, slowIf, testEach } from '../fixtures/suite/matrix.ts';
import { drivers } from './drivers.ts';
import type { Driver } from './run-scenario.ts';

watchLeaks({ wholeFile: true });

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGatewayOn('sqlite');
});
afterAll(async () => {
  expect(gateway.host.busy).toBe(0);
  await gateway[Symbol.asyncDispose]();
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

const clients = Object.entries(drivers);

// They mostly wait, each on an account of its own.
describe.concurrent.each(clients)('with %s', (client, start) => {
  const isNode = client === 'the Node client';
  /** `npm test` takes each fault once with the Node client, and one of them with the Python client. */
  const isQuick = ({ fault, reached }: (typeof cases)[number]) =>
    reached && (isNode || (client === 'the Python client' && fault === 'reset'));

  /** An account whose client reaches the gateway through a proxy with a bad day. Answers its sessions. */
  async function tryOut(
    settings: object,
    work: (client: { drive: Driver; proxy: string; plan(plan: FaultPlan): void }) => Promise<void>,
  ): Promise<unknown[]> {
    const account = await gateway.account();
    await using faulty = await startFaultyGateway(gateway.url);
    {
      await using client = start();
      await client.drive('configure', { endpoint: faulty.url, apiKey: account.key, ...settings });
      await work({ drive: client.drive, proxy: account.proxy, plan: faulty.plan });
    }
    // A client that is through has cleaned up.
    expect((await account.get('/user/api/limits')).json).toMatchObject({ active: 0, remaining: 5 });
    return (await account.get('/user/api/sessions')).json.sessions;
  }

  testEach(quickWhere(cases, isQuick))(
    'a create that meets a $fault (the gateway has it: $reached) ends in the right error, in time, and leaves no browser',
    async ({ fault, reached }) => {
      for (const call of calls) {
        const timeoutMs = fault === 'hang' ? 1000 : 20_000;
        const began = performance.now();
        await tryOut({ retries: 0, timeoutMs }, async ({ drive, proxy, plan }) => {
          plan({ fault, reached });
          expect(await drive(call, { proxy })).toEqual({ error: expect.objectContaining(endings[fault]) });
        });
        expect(performance.now() - began).toBeLessThan(60_000);
      }
    },
  );

  testEach(
    quickWhere(
      cases.filter(({ fault }) => fault !== 'hang'),
      isQuick,
    ),
  )(
    'a create that is repeated after a $fault (the gateway has it: $reached) is one session',
    async ({ fault, reached }) => {
      const sessions = await tryOut({ retries: 2, timeoutMs: 20_000 }, async ({ drive, proxy, plan }) => {
        plan({ fault, reached });
        const outcome: any = await drive('create', { proxy });
        expect(outcome).toEqual({ ok: expect.objectContaining({ status: 'ACTIVE' }) });
        plan({ fault, reached });
        expect(await drive('close', { sessionId: outcome.ok.browserId })).toEqual({
          ok: expect.objectContaining({ status: 'CLOSED' }),
        });
      });
      expect(sessions).toHaveLength(1);
    },
  );

  test(
    'a create whose every trace is lost for a while leaves no browser either',
    slowIf(!isNode),
    async () => {
      await tryOut({ retries: 0, timeoutMs: 20_000 }, async ({ drive, proxy, plan }) => {
        plan({ fault: 'reset', reached: true, times: 3 });
        expect(await drive('create', { proxy })).toEqual({
          error: expect.objectContaining({ class: 'ConnectionFailedError' }),
        });
      });
    },
  );

  test('a read that meets a hang ends in time', slowIf(!isNode), async () => {
    await tryOut({ retries: 0, timeoutMs: 1000 }, async ({ drive, plan }) => {
      plan({ fault: 'hang' });
      expect(await drive('getLimits', {})).toEqual({
        error: expect.objectContaining({ class: 'ConnectionFailedError' }),
      });
    });
  });
});
