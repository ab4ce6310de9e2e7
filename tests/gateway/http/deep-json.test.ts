import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOperatorToken } from '../../../apps/gateway/src/operator/operator-tokens.ts';
import { openStream } from '../../fixtures/gateway/event-reader.ts';
import {
  type Answer,
  call,
  startGatewayOn,
  type TestAccount,
  type TestGateway,
} from '../../fixtures/gateway/gateway.ts';
import { WebhookReceiver } from '../../fixtures/receivers/webhook-receiver.ts';
import { sample } from '../../fixtures/service/metrics.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks();

/** Past what `JSON.stringify` has stack for. */
const stackBreaking = 50_000;
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

describeEach(quickOn('sqlite'))('JSON that is nested deep, on %s', (engine) => {
  let gateway: TestGateway;
  let account: TestAccount;

  beforeEach(async () => {
    gateway = await startGatewayOn(engine, { webhookAllow: '127.0.0.0/8' });
    account = await gateway.account({ creates_per_minute: 1000, concurrent_limit: 50 });
  });

  afterEach(() => gateway[Symbol.asyncDispose]());

  const send = (path: string, body: string, headers: Record<string, string> = {}): Promise<Answer> =>
    call(gateway.url + path, { method: 'POST', body, headers: { 'x-api-key': account.key, ...headers } });
  const create = (metadata: string) =>
    send('/api/browser/create', `{"proxy":"${account.proxy}","metadata":${metadata}}`);
  const operator = async (): Promise<{ authorization: string }> => {
    const { token } = await createOperatorToken(gateway.running.gateway.db, 'test');
    return { authorization: `Bearer ${token}` };
  };

  test('is a 400 in the body of a create, and 32 levels are none', async () => {
    for (const depth of [32, 4400, 5000, 8000]) {
      expect(await create(nested(depth))).toMatchObject({
        status: 400,
        json: { error: 'Malformed browser params: body must be nested at most 32 levels deep' },
      });
    }
    const opened = await create(nested(31));
    expect(opened).toMatchObject({ status: 200, json: { metadata: JSON.parse(nested(31)) } });
    expect((await account.close(opened.json.browserId)).status).toBe(200);
  });

  test('is dropped from the metadata of /connect without an error', async () => {
    for (const [depth, isKept] of [
      [32, true],
      [33, false],
      [2000, false],
    ] as const) {
      const opened = await account.connect({ metadata: nested(depth) });
      expect(opened.status).toBe(200);
      const id = opened.headers.get('x-session-id') ?? '';
      const { metadata } = (await account.get(`/api/browser/${id}/status`)).json;
      expect('a' in metadata).toBe(isKept);
    }
  });

  test("is refused in webhooks' and operators' bodies, and in one line of a batch by itself", async () => {
    expect((await send('/user/api/webhooks', nested(40))).status).toBe(400);
    const headers = await operator();
    expect((await send('/operator/api/tokens', nested(9000), headers)).status).toBe(400);
    const record = { id: 'r1', account: account.id, product: 'residential', bytes: 5, at: Date.now() };
    const lines = `${JSON.stringify(record)}\n${nested(9000)}\n`;
    expect((await send('/operator/api/usage', lines, headers)).json).toMatchObject({
      new: 1,
      refused: 1,
      errors: [{ line: 2, reason: 'is nested too deep' }],
    });
    expect((await send('/operator/api/usage', `[${nested(9000)}]`, headers)).status).toBe(400);
  });

  test('in rows of earlier versions, disturbs no list, stream, delivery or bill', async () => {
    await using receiver = await WebhookReceiver.start();
    const other = await gateway.account();
    const webhook = await account.post('/user/api/webhooks', { url: receiver.url });
    receiver.secret = webhook.json.secret;
    const { db } = gateway.running.gateway;
    const id: string = (await account.create()).json.browserId;
    const deep = `{"b":${nested(stackBreaking)},"turnpike":{"host":"stand-in"}}`;
    await db.updateTable('sessions').set({ metadata: deep }).where('id', '=', id).execute();

    const streams = await Promise.all([account, other].map(({ key }) => openStream(gateway.url, key)));
    expect((await account.close(id)).json).toMatchObject({ status: 'CLOSED' });
    const { json } = await account.get('/user/api/sessions');
    expect(json.sessions).toMatchObject([{ browserId: id, status: 'CLOSED', metadata: { turnpike: {} } }]);
    expect(json.sessions[0].billedSeconds).toBeGreaterThan(0);
    const headers = await operator();
    expect((await call(`${gateway.url}/operator/api/sessions`, { headers })).status).toBe(200);
    await expect.poll(() => receiver.firstOf(id)).toContain('session.closed');

    // An event of an earlier version, as deep as its session.
    await db
      .updateTable('events')
      .set({ data: `{"browserId":"old","metadata":${deep}}` })
      .where('session_id', '=', id)
      .where('type', '=', 'session.closed')
      .execute();
    await account.post(`/user/api/webhooks/${webhook.json.id}/replay`, { since: '2020-01-01T00:00:00Z' });
    await expect.poll(() => receiver.firstOf('old')).toEqual(['session.closed']);
    const own = await openStream(gateway.url, account.key, { 'last-event-id': '0' });
    expect((await own.take(2)).map(({ data }) => (data as { browserId?: string }).browserId)).toEqual([
      id,
      'old',
    ]);

    await other.create();
    expect((await streams[1]?.take(1))?.[0]).toMatchObject({ type: 'session.started' });
    for (const stream of [...streams, own]) stream.hangUp();
    await Promise.all([...streams, own].map(({ ended }) => ended));
    expect(
      await sample(gateway.observation, 'turnpike_gateway_items_failed_total{kind="event_stream"}'),
    ).toBe(0);
  });
});
