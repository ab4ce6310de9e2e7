// @module-tag slow

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createAccount } from '../../apps/gateway/src/accounts/manage-account.ts';
import { ClusterHarness } from '../faults/harness.ts';
import { quick } from '../faults/quick-time.ts';
import { accountCalls, testSealer } from '../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { asker } from '../isolation/steady-client.ts';
import { startLocalProxy } from '../live-view/local-proxy.ts';

watchLeaks({ wholeFile: true });

/** A CDP client that asks its browser something all the time, until its socket is closed. */
async function startPinging(url: string) {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const ask = asker(socket, 5000);
  const seen = { answers: 0, failures: [] as string[] };
  void (async () => {
    while (socket.readyState === WebSocket.OPEN) {
      await ask('Browser.getVersion').then(
        () => (seen.answers += 1),
        (error: Error) => socket.readyState === WebSocket.OPEN && seen.failures.push(error.message),
      );
      await delay(50);
    }
  })();
  const closed = once(socket, 'close').then(([code, reason]) => ({
    code,
    reason: `${reason}`,
    at: Date.now(),
  }));
  return { seen, closed };
}

/** Real browsers and processes; leases of three seconds and lifetimes of a few (tests/faults/quick-time.ts). */
test('a host cut off from all gateways serves its CDP clients to the expiry of each session and no longer, and in order again it ends the rest before it takes work', async () => {
  await using proxy = await startLocalProxy();
  await using harness = await ClusterHarness.start({
    gateways: 2,
    hosts: 1,
    browsers: 'real',
    createSeconds: 30,
  });
  const email = 'cut-off@example.com';
  const { apiKey } = await createAccount(harness.db, testSealer, { email, name: '' });
  const calls = accountCalls(
    harness.gateways[0]?.part.url ?? '',
    apiKey,
    `http://127.0.0.1:${proxy.proxy.port}`,
  );
  const open = async (maxLifetime: number) => {
    const { status, json } = await calls.create({ headless: true, maxLifetime, wait: 60 });
    expect(status).toBe(200);
    return { id: json.browserId as string, client: await startPinging(json.cdpUrl) };
  };
  const row = (id: string) =>
    harness.db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const host = () => harness.db.selectFrom('hosts').selectAll().executeTakeFirstOrThrow();
  const long = await open(120);
  const short = await open(9);

  const mend = await harness.make({ does: 'cut host', which: 0, atMs: 0, lastsMs: 0, cut: 'hang' });
  const cutAt = Date.now();
  for (const { id } of [long, short]) await expect.poll(async () => (await row(id)).state).toBe('DEAD');
  // Past its lease, and for the gateways lost: nothing of that reaches the browsers' clients.
  for (const { client } of [long, short]) {
    const before = client.seen.answers;
    await expect.poll(() => client.seen.answers).toBeGreaterThan(before + 3);
  }
  expect(harness.browsers()).toEqual(new Map([['host-0', 2]]));

  const { expires_at } = await row(short.id);
  const expired = await short.client.closed;
  expect(expired).toMatchObject({ code: 4001, reason: 'EXPIRED' });
  expect(expired.at - cutAt).toBeGreaterThan(quick.leaseMs);
  expect(expired.at).toBeGreaterThan(expires_at - 500);
  expect(expired.at).toBeLessThan(expires_at + 10_000);
  await expect.poll(() => harness.browsers()).toEqual(new Map([['host-0', 1]]));
  const before = long.client.seen.answers;
  await expect.poll(() => long.client.seen.answers).toBeGreaterThan(before + 3);
  const lastWord = (await host()).heartbeat_at;
  // One heartbeat may have been on its way when the host was cut off.
  expect(lastWord).toBeLessThanOrEqual(cutAt + quick.heartbeatMs);

  await mend?.();
  const next = await calls.create({ headless: true, wait: 60 });
  const openedAt = Date.now();
  expect(next.status).toBe(200);
  const dead = await long.client.closed;
  expect(dead).toMatchObject({ code: 4002, reason: 'DEAD' });
  expect(dead.at).toBeLessThanOrEqual(openedAt);
  await expect.poll(() => harness.browsers()).toEqual(new Map([['host-0', 1]]));
  for (const { client } of [long, short]) expect(client.seen.failures).toEqual([]);

  // The host has told by now what it knows of the end of the short one; it was billed before, to the last heartbeat.
  await expect.poll(async () => (await host()).heartbeat_at).toBeGreaterThan(lastWord);
  const ended = await Promise.all([long, short].map(({ id }) => row(id)));
  for (const { state, end_reason, created_at, ended_at, billed_seconds } of ended) {
    expect([state, end_reason]).toEqual(['DEAD', 'host_lost']);
    expect(ended_at).toBe(Math.max(created_at, lastWord));
    expect(billed_seconds).toBe(
      Math.max(quick.minBilledSeconds, Math.ceil(((ended_at ?? 0) - created_at) / 1000)),
    );
  }
  await calls.close(next.json.browserId);
  const all = await harness.db.selectFrom('sessions').select('billed_seconds').execute();
  const total = all.reduce((sum, { billed_seconds }) => sum + billed_seconds, 0);
  expect((await calls.get('/user/api/me')).json.usage).toMatchObject({ sessions: 3, browserSeconds: total });
});
