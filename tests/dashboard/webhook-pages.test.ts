import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { WebhookReceiver } from '../fixtures/receivers/webhook-receiver.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../fixtures/suite/matrix.ts';
import { type DashboardHarness, startDashboardHarness } from './harness.ts';

watchLeaks();

const path = '/user/api/webhooks';
const testPath = (id: string) => `/dashboard/api/webhooks/${id}/test`;

describeEach(quickOn('sqlite'))('webhooks in the dashboard on %s', (engine) => {
  let harness: DashboardHarness;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    harness = await startDashboardHarness(engine, { webhookAllow: '127.0.0.0/8' });
  });
  afterAll(() => harness[Symbol.asyncDispose]());
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
  });
  afterEach(() => receiver[Symbol.asyncDispose]());

  test('one that is made here is sent events, signed with the secret that is shown once, and sends them again', async () => {
    const { account, visitor } = await harness.accountPerson();
    const { json: made } = await visitor.post(path, { url: receiver.url, events: ['session.started'] });
    receiver.secret = made.secret;
    const { secret, ...shown } = made;
    expect(secret).toMatch(/^whsec_/);
    expect(shown).toMatchObject({ url: receiver.url, events: ['session.started'], status: 'enabled' });
    expect((await visitor.get(path)).json).toEqual({ webhooks: [shown] });
    expect((await account.get('/user/api/webhooks')).json).toEqual({ webhooks: [shown] });

    const { browserId } = (await account.create()).json;
    const deliveries = async () => (await visitor.get(`${path}/${made.id}/deliveries`)).json.deliveries;
    await expect
      .poll(deliveries)
      .toMatchObject([{ type: 'session.started', browserId, status: 'delivered', attempts: 1 }]);
    const [{ eventId }] = await deliveries();
    expect((await visitor.post(`${path}/${made.id}/replay`, { eventId })).json).toEqual({ replayed: 1 });
    await expect.poll(() => receiver.received.length).toBe(2);
    await expect.poll(deliveries).toMatchObject([{ status: 'delivered' }]);
    const since = new Date(0).toISOString();
    expect((await visitor.post(`${path}/${made.id}/replay`, { since })).json).toEqual({ replayed: 1 });
    await expect.poll(() => receiver.received.map(({ signed }) => signed)).toEqual([true, true, true]);
    await expect.poll(deliveries).toMatchObject([{ status: 'delivered' }]);

    expect((await visitor.delete(`${path}/${made.id}`)).json).toEqual({ id: made.id });
    expect((await visitor.get(path)).json).toEqual({ webhooks: [] });
    expect((await visitor.delete(`${path}/${made.id}`)).status).toBe(404);
  });

  test('a test event goes out at once, signed, and tells what the receiver answered', async () => {
    const { visitor } = await harness.accountPerson();
    const { json: created } = await visitor.post(path, { url: receiver.url, events: ['session.dead'] });
    receiver.secret = created.secret;
    const send = async () => (await visitor.post(testPath(created.id))).json;
    expect(await send()).toEqual({ ok: true, status: 200, error: null });
    expect(receiver.received).toMatchObject([{ type: 'webhook.test', data: {}, signed: true }]);
    receiver.decide = () => 500;
    expect(await send()).toEqual({ ok: false, status: 500, error: null });
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    receiver.decide = () => {
      resolve();
      return 'hang';
    };
    const hanging = send();
    await arrived;
    expect((await visitor.post(testPath(created.id))).status).toBe(409);
    await receiver[Symbol.asyncDispose]();
    expect(await hanging).toMatchObject({ ok: false, status: null, error: expect.any(String) });
    expect(await send()).toMatchObject({ ok: false, status: null, error: expect.stringContaining('ECONN') });
    expect((await visitor.get(`${path}/${created.id}/deliveries`)).json.deliveries).toEqual([]);
    const { visitor: other } = await harness.accountPerson();
    expect((await other.post(testPath(created.id))).status).toBe(404);
  });

  test('a refusal names the field that it is about', async () => {
    const { visitor } = await harness.accountPerson();
    for (const [body, json] of [
      [{}, { code: 'BAD_REQUEST', error: 'url is required', field: 'url' }],
      [
        { url: 'http://10.0.0.1/' },
        { code: 'BAD_REQUEST', error: 'url must name a public address', field: 'url' },
      ],
      [{ url: receiver.url, events: ['session.born'] }, { field: 'events' }],
    ] as const) {
      expect(await visitor.post(path, body)).toMatchObject({ status: 400, json });
    }
    const { id } = (await visitor.post(path, { url: receiver.url })).json;
    const replay = await visitor.post(`${path}/${id}/replay`, { since: 'yesterday' });
    expect(replay).toMatchObject({ status: 400, json: { error: expect.stringContaining('since') } });
  });

  test("another account's is not there, and another site's page makes none", async () => {
    const { visitor } = await harness.accountPerson();
    const { id } = (await visitor.post(path, { url: receiver.url })).json;
    const { visitor: other } = await harness.accountPerson();
    expect((await other.get(path)).json).toEqual({ webhooks: [] });
    expect((await other.get(`${path}/${id}/deliveries`)).status).toBe(404);
    expect((await other.get(`${path}/%00/deliveries`)).status).toBe(404);
    expect((await other.post(`${path}/${id}/replay`, { since: '2020-01-01' })).status).toBe(404);
    expect((await other.delete(`${path}/${id}`)).status).toBe(404);
    expect((await visitor.post(path, { url: receiver.url }, { 'sec-fetch-site': 'cross-site' })).status).toBe(
      403,
    );
    const { visitor: operator } = await harness.operatorPerson();
    expect((await operator.get(path)).status).toBe(403);
    expect((await visitor.get(path)).json.webhooks).toHaveLength(1);
  });
});
