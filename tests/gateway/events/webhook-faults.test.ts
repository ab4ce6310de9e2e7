// @module-tag slow

import { createLogger } from '@turnpike/process/logger';
import { expect, test } from 'vitest';
import { createAccount, setLimits } from '../../../apps/gateway/src/accounts/manage-account.ts';
import { openDatabase } from '../../../apps/gateway/src/store/database.ts';
import { accountCalls, testSealer, testStore } from '../../fixtures/gateway/gateway.ts';
import { GatewayProcess } from '../../fixtures/gateway/gateway-child.ts';
import { WebhookReceiver } from '../../fixtures/receivers/webhook-receiver.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

watchLeaks();

const sessionsPerGateway = 8;

test('a receiver that fails, hangs and is late gets every event in order, though gateways are killed', async () => {
  await using store = await testStore('postgres');
  await using receiver = await WebhookReceiver.start();
  await using db = disposable(await openDatabase(store.location, createLogger('silent')));
  const { apiKey, account } = await createAccount(db.value, testSealer, {
    email: 'a@example.com',
    name: 'A',
  });
  await setLimits(db.value, account.email, { creates_per_minute: 1000, concurrent_limit: 100 });
  const start = (hostName: string) =>
    GatewayProcess.start({ store: store.location, hostName, createTimeoutMs: 20_000, realBrowsers: false });

  await using steady = await start('steady');
  const doomed = await start('doomed');
  await using _ended = doomed;
  const viaSteady = accountCalls(steady.url, apiKey);
  const viaDoomed = accountCalls(doomed.url, apiKey);
  const webhook = await viaSteady.post('/user/api/webhooks', { url: receiver.url });
  receiver.secret = webhook.json.secret;

  // Each event is refused once, in one of the ways that there are; two hang.
  const tried = new Set<string>();
  receiver.decide = ({ id }) => {
    if (tried.has(id)) return 200;
    tried.add(id);
    return tried.size <= 2 ? 'hang' : ([500, 302, 503][tried.size % 3] ?? 500);
  };
  const open = async ({ create }: typeof viaSteady): Promise<string> => (await create()).json.browserId;
  const range = Array.from({ length: sessionsPerGateway });
  const [kept, lost] = await Promise.all([
    Promise.all(range.map(() => open(viaSteady))),
    Promise.all(range.map(() => open(viaDoomed))),
  ]);
  await expect.poll(() => receiver.refused).toBeGreaterThan(4);
  doomed.child.kill('SIGKILL');
  await doomed.exited;
  await Promise.all(kept.map((id) => viaSteady.close(id)));

  for (const id of kept) {
    await expect.poll(() => receiver.firstOf(id)).toEqual(['session.started', 'session.closed']);
  }
  for (const id of lost) {
    await expect.poll(() => receiver.firstOf(id)).toEqual(['session.started', 'session.dead']);
  }
  expect(receiver.received.every(({ signed }) => signed)).toBe(true);
});

function disposable<T extends { destroy(): Promise<void> }>(value: T): AsyncDisposable & { value: T } {
  return { value, [Symbol.asyncDispose]: () => value.destroy() };
}
