import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deliveryLimits } from '../../../apps/gateway/src/events/delivery-slots.ts';
import { maxPendingPerWebhook } from '../../../apps/gateway/src/events/replay-store.ts';
import { openStream } from '../../fixtures/gateway/event-reader.ts';
import { startGatewayOn, type TestAccount, type TestGateway } from '../../fixtures/gateway/gateway.ts';
import { WebhookReceiver } from '../../fixtures/receivers/webhook-receiver.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks();

/** Older events are pruned, after 30 days. */
const yesterday = Date.now() - 86_400_000;

describeEach(quickOn('sqlite'))('events on %s', (engine) => {
  let gateway: TestGateway;
  let account: TestAccount;
  let receiver: WebhookReceiver;

  beforeEach(async () => {
    gateway = await startGatewayOn(engine, { webhookAllow: '127.0.0.0/8' });
    account = await gateway.account({ creates_per_minute: 1000, concurrent_limit: 50 });
    receiver = await WebhookReceiver.start();
  });

  afterEach(async () => {
    await receiver[Symbol.asyncDispose]();
    await gateway[Symbol.asyncDispose]();
  });

  const open = async (): Promise<string> => (await account.create()).json.browserId;
  const subscribe = async (body: object = {}): Promise<string> => {
    const answer = await account.post('/user/api/webhooks', { url: receiver.url, ...body });
    expect(answer.status).toBe(200);
    receiver.secret = answer.json.secret;
    return answer.json.id;
  };
  const record = async (id: string) =>
    (await account.get('/user/api/sessions')).json.sessions.find(
      (session: { browserId: string }) => session.browserId === id,
    );

  test('an ended session says why', async () => {
    const [closed, expired, gone] = [await open(), await open(), await open()];
    expect(await record(closed)).toMatchObject({ endReason: null });
    await account.close(closed);
    gateway.host.end(expired, 'expired');
    gateway.host.end(gone, 'gone');
    await expect.poll(async () => (await record(gone)).status).toBe('DEAD');
    await expect.poll(async () => (await record(expired)).status).toBe('EXPIRED');
    expect((await record(closed)).endReason).toBe('client_close');
    expect((await record(expired)).endReason).toBe('lifetime');
    expect((await record(gone)).endReason).toBe('browser_crashed');
  });

  test('a webhook gets each event once, signed, in the order of its session, and no secret', async () => {
    await subscribe();
    const id = await open();
    await account.close(id);
    await expect.poll(() => receiver.firstOf(id)).toEqual(['session.started', 'session.closed']);
    expect(receiver.received).toHaveLength(2);
    const [started, closed] = receiver.received;
    expect([started?.signed, closed?.signed]).toEqual([true, true]);
    expect(closed?.data).toMatchObject({ browserId: id, status: 'CLOSED', endReason: 'client_close' });
    const { cdpUrl } = (await account.get(`/api/browser/${id}/status`)).json;
    expect(JSON.stringify(receiver.received)).not.toContain(cdpUrl.split('/').at(-1));
    expect(JSON.stringify(receiver.received)).not.toContain('secret@');
  });

  test('a failure holds up the events of that session, and no others', async () => {
    await subscribe();
    // Nothing is taken until it is known which one is to be held up.
    receiver.decide = () => 500;
    const [held, free] = [await open(), await open()];
    receiver.decide = ({ data }) => (data.browserId === held ? 500 : 200);
    await Promise.all([account.close(held), account.close(free)]);
    await expect.poll(() => receiver.firstOf(free)).toEqual(['session.started', 'session.closed']);
    expect(receiver.firstOf(held)).toEqual([]);
    receiver.decide = () => 200;
    gateway.clock.advance(60_000);
    await expect.poll(() => receiver.firstOf(held)).toEqual(['session.started', 'session.closed']);
  });

  test('a webhook gets only what it asked for', async () => {
    await subscribe({ events: ['session.closed'] });
    const id = await open();
    await account.close(id);
    await expect.poll(() => receiver.firstOf(id)).toEqual(['session.closed']);
  });

  test('an account is told when it has used four fifths of its hours, and all of them', async () => {
    account = await gateway.account({ browser_seconds_cap: 100 });
    await subscribe({ events: ['usage.80', 'usage.cap_reached'] });
    for (let used = 30; used <= 120; used += 30) await account.close(await open());
    await expect
      .poll(() => receiver.received.map(({ type, data }) => [type, data.browserSeconds]))
      .toEqual([
        ['usage.80', 90],
        ['usage.cap_reached', 120],
      ]);
  });

  test('what was sent can be sent again, and what failed is told', async () => {
    const webhook = await subscribe();
    receiver.decide = () => 500;
    const id = await open();
    await expect.poll(() => receiver.refused).toBeGreaterThan(0);
    const pending = async () =>
      (await account.get(`/user/api/webhooks/${webhook}/deliveries`)).json.deliveries;
    await expect
      .poll(pending)
      .toMatchObject([
        { type: 'session.started', browserId: id, status: 'pending', lastError: 'it answered 500' },
      ]);
    receiver.decide = () => 200;
    await expect.poll(pending).toMatchObject([{ status: 'delivered', lastError: null }]);
    const [{ eventId }] = await pending();
    const replay = await account.post(`/user/api/webhooks/${webhook}/replay`, { eventId });
    expect(replay.json).toEqual({ replayed: 1 });
    await expect.poll(() => receiver.received.map((event) => event.id)).toEqual([eventId, eventId]);
    // The gateway knows a moment later than the receiver.
    await expect.poll(pending).toMatchObject([{ status: 'delivered' }]);
    const all = await account.post(`/user/api/webhooks/${webhook}/replay`, { since: '2020-01-01T00:00:00Z' });
    expect(all.json).toEqual({ replayed: 1 });
  });

  test("one account's silent receivers and long replays hold up nobody else's events", {
    tags: 'slow',
  }, async () => {
    await using silent = await WebhookReceiver.start();
    silent.decide = () => 'hang';
    const { db } = gateway.running.gateway;
    const hog = await gateway.account();
    await sql`
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
      insert into events (account_id, seq, id, type, session_id, at, data)
      select ${hog.id}, i, ${hog.id} || '-' || cast(i as text), 'session.closed', 'br_' || cast(i as text), cast(${yesterday} as bigint) + i, '{}' from n
    `.execute(db);
    for (let i = 0; i < 10; i++) {
      const { json } = await hog.post('/user/api/webhooks', { url: silent.url });
      const replay = { since: '1970-01-01T00:00:00Z' };
      expect((await hog.post(`/user/api/webhooks/${json.id}/replay`, replay)).json).toEqual({
        replayed: 1000,
      });
    }
    await expect.poll(() => silent.refused).toBeGreaterThan(0);
    await subscribe();
    const id = await open();
    // While every one of the silent ones still waits for its answer.
    await expect.poll(() => receiver.firstOf(id)).toEqual(['session.started']);
    expect(silent.refused).toBeLessThanOrEqual(2 * deliveryLimits.perAccount);
  });

  test('a replay is bounded, and says from where to go on', async () => {
    const webhook = await subscribe();
    receiver.decide = () => 503;
    const { db } = gateway.running.gateway;
    const many = maxPendingPerWebhook + 700;
    await sql`
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(many)})
      insert into events (account_id, seq, id, type, session_id, at, data)
      select ${account.id}, i, 'evt_' || cast(i as text), 'session.closed', 'br_' || cast(i as text),
        cast(${yesterday} as bigint) + i, '{}' from n
    `.execute(db);
    const replay = async (since: string) =>
      (await account.post(`/user/api/webhooks/${webhook}/replay`, { since })).json;
    const first = await replay('2020-01-01T00:00:00Z');
    expect(first).toEqual({
      replayed: maxPendingPerWebhook,
      nextSince: new Date(yesterday + 1 + maxPendingPerWebhook).toISOString(),
    });
    expect(await replay(first.nextSince)).toEqual({ replayed: 0, nextSince: first.nextSince });
    await db.updateTable('webhook_deliveries').set({ state: 'failed' }).execute();
    expect(await replay(first.nextSince)).toEqual({ replayed: 700 });
  });

  test('a receiver that is gone for good is sent nothing more', async () => {
    const webhook = await subscribe();
    receiver.decide = () => 410;
    await open();
    await expect
      .poll(async () => (await account.get('/user/api/webhooks')).json.webhooks)
      .toMatchObject([{ id: webhook, status: 'disabled' }]);
  });

  test('a webhook to an address that is not public is refused', async () => {
    for (const url of ['http://10.0.0.1/', 'http://[::1]/', 'http://169.254.169.254/']) {
      const answer = await account.post('/user/api/webhooks', { url });
      expect(answer).toMatchObject({ status: 400, json: { error: 'url must name a public address' } });
    }
  });

  test("another account's webhook is not found", async () => {
    const webhook = await subscribe();
    const other = await gateway.account();
    expect((await other.get(`/user/api/webhooks/${webhook}/deliveries`)).status).toBe(404);
    expect((await other.post(`/user/api/webhooks/${webhook}/replay`, { since: '2020-01-01' })).status).toBe(
      404,
    );
    const deletion = { method: 'DELETE', headers: { 'x-api-key': other.key } };
    expect((await fetch(`${gateway.url}/user/api/webhooks/${webhook}`, deletion)).status).toBe(404);
    expect((await other.get('/user/api/webhooks')).json).toEqual({ webhooks: [] });
  });

  test('the stream tells what happens, goes on where it was left, and ends with its key', async () => {
    const first = await stream();
    const id = await open();
    const [started] = await first.take(1);
    expect(started).toMatchObject({ type: 'session.started', data: { browserId: id } });
    first.hangUp();
    await account.close(id);
    const second = await stream({ 'last-event-id': String(started?.seq) });
    expect(await second.take(1)).toMatchObject([{ type: 'session.closed', data: { browserId: id } }]);
    const whole = await stream({ 'last-event-id': '0' });
    expect((await whole.take(2)).map(({ type }) => type)).toEqual(['session.started', 'session.closed']);
    await account.post('/user/api/regenerate-key');
    await Promise.all([second.ended, whole.ended]);
  });

  const stream = (headers: Record<string, string> = {}) => openStream(gateway.url, account.key, headers);
});
