import { verifyReceipt } from '@turnpike/process/receipt-signature';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { resealAll } from '../../../apps/gateway/src/operator/reseal.ts';
import { Sealer } from '../../../apps/gateway/src/secrets/sealer.ts';
import { rotateSigningKey } from '../../../apps/gateway/src/secrets/signing-keys.ts';
import {
  call,
  startGatewayOn,
  type TestAccount,
  type TestGateway,
  testSealer,
} from '../../fixtures/gateway/gateway.ts';
import { sample } from '../../fixtures/service/metrics.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks();

describeEach(quickOn('sqlite'))('receipts on %s', (engine) => {
  let gateway: TestGateway;
  let account: TestAccount;

  beforeAll(async () => {
    gateway = await startGatewayOn(engine);
  });
  beforeEach(async () => {
    account = await gateway.account({ creates_per_minute: 1000, concurrent_limit: 100 });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const keys = async () => (await call(`${gateway.url}/.well-known/turnpike-receipt-keys`)).text;
  const rotate = () => rotateSigningKey({ ...gateway.running.gateway, sealer: testSealer });
  const endedSession = async (): Promise<string> => {
    const { json } = await account.create({});
    await account.close(json.browserId);
    return json.browserId;
  };
  const receiptOf = (id: string, by = account) => by.get(`/api/browser/${id}/receipt`);

  test('a session that has ended has a receipt that its keys verify; a running one has none', async () => {
    const { json } = await account.create({});
    expect(await receiptOf(json.browserId)).toMatchObject({ status: 409, json: { code: 'SESSION_RUNNING' } });
    await account.close(json.browserId);
    const { status, text } = await receiptOf(json.browserId);
    expect(status).toBe(200);
    const statement = verifyReceipt(text, await keys());
    expect(statement).toMatchObject({
      accountId: account.id,
      session: { browserId: json.browserId, status: 'CLOSED' },
    });
    const { bytesUp, bytesDown, destinations, other } = statement.traffic;
    const sum = (of: 'bytesUp' | 'bytesDown') =>
      destinations.reduce((total, use) => total + use[of], other[of]);
    expect([sum('bytesUp'), sum('bytesDown')]).toEqual([bytesUp, bytesDown]);
  });

  test('destinations that add up to more than the session are dropped, which is said, logged and counted', async () => {
    const counted = () =>
      sample(gateway.observation, 'turnpike_gateway_items_failed_total{kind="traffic_report"}');
    const { json } = await account.create({});
    const use = {
      requests: 1,
      tunnels: 0,
      bytesUp: 600,
      bytesDown: 1,
      refused: {},
      firstAgoMs: 9,
      lastAgoMs: 9,
    };
    gateway.host.carry(json.browserId, {
      bytesUp: 1000,
      bytesDown: 2000,
      bytesFromCache: 0,
      maxBytesReached: false,
      destinations: [
        { host: 'a.test', port: 80, ...use },
        { host: 'b.test', port: 80, ...use },
      ],
      other: { requests: 0, tunnels: 0, bytesUp: 0, bytesDown: 0, refused: {} },
    });
    const before = await counted();
    await account.close(json.browserId);
    const { traffic } = verifyReceipt((await receiptOf(json.browserId)).text, await keys());
    expect(traffic).toMatchObject({
      bytesUp: 1000,
      bytesDown: 2000,
      destinations: [],
      other: { bytesUp: 1000, bytesDown: 2000 },
      droppedDestinations: 2,
    });
    expect(gateway.logs.join('')).toContain('its destinations or proxies were dropped');
    expect(await counted()).toBe(Number(before) + 1);
  });

  test('nobody else gets it', async () => {
    const stranger = await gateway.account({ creates_per_minute: 10 });
    expect((await receiptOf(await endedSession(), stranger)).status).toBe(404);
  });

  test('after a rotation old receipts verify, new ones are signed by the new key', async () => {
    const before = (await receiptOf(await endedSession())).text;
    const keyId = await rotate();
    const after = (await receiptOf(await endedSession())).text;
    const published = await keys();
    verifyReceipt(before, published);
    verifyReceipt(after, published);
    const header = JSON.parse(Buffer.from(JSON.parse(after).protected, 'base64url').toString());
    expect(header.kid).toBe(keyId);
    const current = JSON.parse(published).keys.filter(
      (key: { retiredAt: unknown }) => key.retiredAt === null,
    );
    expect(current.map((key: { kid: string }) => key.kid)).toEqual([keyId]);
  });

  test('rotations at once leave one current key', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, rotate));
    expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true);
    const { keys: all } = JSON.parse(await keys());
    expect(all.filter((key: { retiredAt: unknown }) => key.retiredAt === null)).toHaveLength(1);
  });

  test('the keys are resealed with the other secrets', async () => {
    await receiptOf(await endedSession());
    const { unopened } = await resealAll(gateway.running.gateway.db, testSealer);
    expect(unopened).toEqual([]);
    const wrong = new Sealer(Buffer.alloc(32, 9));
    expect((await resealAll(gateway.running.gateway.db, wrong)).unopened).toContainEqual(
      expect.stringContaining('signing_keys'),
    );
  });
});
