import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type AccountEvent, Turnpike } from 'turnpike-client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startGatewayOn, type TestAccount, type TestGateway } from '../fixtures/gateway/gateway.ts';
import { startTap } from '../fixtures/network/tap.ts';
import { WebhookReceiver } from '../fixtures/receivers/webhook-receiver.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { command, turnpike as run } from './cli-driver.ts';

watchLeaks({ wholeFile: true });

let gateway: TestGateway;
let account: TestAccount;
let turnpike: Turnpike;
beforeAll(async () => {
  gateway = await startGatewayOn('sqlite', { webhookAllow: '127.0.0.0/8' });
});
afterAll(() => gateway[Symbol.asyncDispose]());
beforeEach(async () => {
  account = await gateway.account();
  turnpike = new Turnpike({ endpoint: gateway.url, apiKey: account.key });
});

const openAndClose = async (): Promise<string> => {
  const { browserId } = await turnpike.create({ proxy: account.proxy });
  await turnpike.close(browserId);
  return browserId;
};
const told = ({ type, data }: AccountEvent) => [type, data['browserId']];
const next = async (events: AsyncGenerator<AccountEvent>) => (await events.next()).value as AccountEvent;

test('events are followed over connections that break, from the first on, and none is missed', async () => {
  await using tap = await startTap(Number(new URL(gateway.url).port));
  const behind = new Turnpike({ endpoint: `http://127.0.0.1:${tap.port}`, apiKey: account.key });
  const controller = new AbortController();
  const events = behind.events({ signal: controller.signal });
  const first = next(events);
  // The request, and an answer's head with where the stream begins.
  await expect.poll(() => tap.bytes()).toBeGreaterThan(500);
  // Before it has told of anything.
  tap.cut();
  const one = await openAndClose();
  expect(told(await first)).toEqual(['session.started', one]);
  tap.cut();
  const two = await openAndClose();
  const rest = [await next(events), await next(events), await next(events)];
  expect(rest.map(told)).toEqual([
    ['session.closed', one],
    ['session.started', two],
    ['session.closed', two],
  ]);
  expect(rest[2]).toMatchObject({ seq: 4, data: { endReason: 'client_close' } });

  const again = turnpike.events({ lastEventId: 2 });
  expect((await next(again)).seq).toBe(3);
  await again.return(undefined as never);

  const waiting = events.next();
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
});

test('a stream that cannot be had is refused, at once or after some tries', async () => {
  const wrong = new Turnpike({ endpoint: gateway.url, apiKey: `tp_live_${'0'.repeat(64)}` });
  await expect(wrong.events().next()).rejects.toMatchObject({ name: 'AuthError', statusCode: 401 });
  const nobody = new Turnpike({ endpoint: 'http://127.0.0.1:1', apiKey: 'x', retries: 1 });
  await expect(nobody.events().next()).rejects.toMatchObject({ name: 'ConnectionFailedError' });
});

test('webhooks are made, listed, sent to, replayed and deleted by the client and the command line', async () => {
  await using receiver = await WebhookReceiver.start();
  const { webhooks } = turnpike;
  const made = await webhooks.create({ url: receiver.url, events: ['session.closed'] });
  receiver.secret = made.secret;
  expect(await webhooks.list()).toMatchObject([
    { id: made.id, events: ['session.closed'], status: 'enabled' },
  ]);
  await openAndClose();
  await expect.poll(() => receiver.received.length).toBe(1);
  expect(receiver.received).toMatchObject([{ type: 'session.closed', signed: true }]);
  const delivered = { status: 'delivered', attempts: 1 };
  await expect.poll(() => webhooks.deliveries(made.id)).toMatchObject([delivered]);
  const [{ eventId = '' } = {}] = await webhooks.deliveries(made.id);
  expect(await webhooks.replay(made.id, { eventId })).toBe(1);
  await expect.poll(() => receiver.received.length).toBe(2);
  await expect(webhooks.create({ url: 'http://10.0.0.1/' })).rejects.toThrow('public address');

  const env = { TURNPIKE_URL: gateway.url, TURNPIKE_API_KEY: account.key };
  const line = (...args: string[]) => run(env, ['webhooks', ...args]);
  expect((await line('ls')).stdout).toContain(`${made.id}  enabled  session.closed  ${receiver.url}`);
  const added = JSON.parse((await line('add', receiver.url, '--json')).stdout);
  expect(added).toMatchObject({ events: [], secret: expect.stringMatching(/^whsec_/) });
  expect((await line('deliveries', made.id)).stdout).toMatch(/evt_\w+ +session\.closed +/);
  expect((await line('replay', made.id, '--since', '2020-01-01T00:00:00Z')).stdout).toBe(
    '1 event will be sent again.\n',
  );
  expect(await line('replay', made.id)).toMatchObject({ code: 2 });
  expect(await line('rm', added.id)).toMatchObject({ code: 0 });
  expect(await line('rm', added.id)).toMatchObject({ code: 7 });
  await webhooks.delete(made.id);
  expect(await webhooks.list()).toEqual([]);
});

test('turnpike events tells of each on a line', async () => {
  const id = await openAndClose();
  const child = spawn(process.execPath, [command, 'events', '--last-event-id', '0'], {
    env: { ...process.env, TURNPIKE_URL: gateway.url, TURNPIKE_API_KEY: account.key },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toMatch(new RegExp(`^1 .* session\\.started +${id}$`));
  expect((await lines.next()).value).toMatch(new RegExp(`^2 .* session\\.closed +${id}  client_close$`));
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([null, 'SIGINT']);
});
