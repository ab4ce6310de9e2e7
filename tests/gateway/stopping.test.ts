import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createLogger } from '@turnpike/process/logger';
import { expect, test } from 'vitest';
import { createAccount, setLimits } from '../../apps/gateway/src/accounts/manage-account.ts';
import { type Database, openDatabase } from '../../apps/gateway/src/store/database.ts';
import {
  accountCalls,
  someProxy,
  startTestGateway,
  testSealer,
  testStore,
} from '../fixtures/gateway/gateway.ts';
import { GatewayProcess } from '../fixtures/gateway/gateway-child.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

/** One connection, and all that came over it until the other side closed it. */
async function dial(url: string) {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect(Number(port), hostname);
  let text = '';
  let failure: Error | undefined;
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', (error) => {
    failure = error;
  });
  const closed = once(socket, 'close').catch(() => {});
  await once(socket, 'connect');
  return {
    send: (request: string) => void socket.write(request),
    received: () => text,
    async rest(): Promise<string> {
      await closed;
      if (failure) throw failure;
      return text;
    },
  };
}

const health = 'GET /health HTTP/1.1\r\nhost: g\r\n\r\n';
const create = (key: string) => {
  const body = JSON.stringify({ proxy: someProxy });
  const head = [`x-api-key: ${key}`, 'content-type: application/json', `content-length: ${body.length}`];
  return `POST /api/browser/create HTTP/1.1\r\nhost: g\r\n${head.join('\r\n')}\r\n\r\n${body}`;
};

async function newAccount(db: Database): Promise<string> {
  const email = 'stopping@example.com';
  const { apiKey } = await createAccount(db, testSealer, { email, name: '' });
  await setLimits(db, email, { concurrent_limit: 100, creates_per_minute: 1000 });
  return apiKey;
}

test('a process told to stop answers every request that had reached its sockets, gives up creates with 503 and bills nothing', async () => {
  await using store = await testStore('postgres');
  const db = await openDatabase(store.location, createLogger('silent'));
  await using _db = { [Symbol.asyncDispose]: () => db.destroy() };
  const key = await newAccount(db);
  await using gateway = await GatewayProcess.start({
    store: store.location,
    hostName: 'stopping',
    createTimeoutMs: 20_000,
    realBrowsers: false,
    opensHang: true,
  });
  const dialled = (count: number) => Promise.all(Array.from({ length: count }, () => dial(gateway.url)));
  const [underWay, kept, unused] = [await dialled(5), await dialled(5), await dialled(2)];
  for (const connection of underWay) connection.send(create(key));
  for (const connection of kept) connection.send(health);
  const starting = async () => (await db.selectFrom('sessions').select('id').execute()).length;
  await expect.poll(starting).toBe(5);
  for (const { received } of kept) await expect.poll(received).toContain('uptime');

  // It stands still while more comes: in the queue of its listener, and over connections that it has.
  gateway.child.kill('SIGSTOP');
  const queued = await dialled(10);
  for (const connection of queued) connection.send(create(key));
  for (const connection of kept) connection.send(health);
  gateway.child.kill('SIGTERM');
  gateway.child.kill('SIGCONT');

  for (const { rest } of [...underWay, ...queued]) {
    const answer = await rest();
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/retry-after: \d/);
    expect(answer).toMatch(/connection: close/);
    expect(answer).toContain('"code":"CAPACITY"');
  }
  for (const { rest } of kept) expect((await rest()).match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
  for (const { rest } of unused) expect(await rest()).toBe('');
  const [code] = (await gateway.exited) as [number];
  expect(code).toBe(0);
  expect(await db.selectFrom('sessions').select('id').execute()).toEqual([]);
  const { browser_seconds } = await db
    .selectFrom('accounts')
    .select('browser_seconds')
    .executeTakeFirstOrThrow();
  expect(browser_seconds).toBe(0);
});

test('creates that wait for a slot are told to try elsewhere when their gateway stops', async () => {
  await using store = await testStore('sqlite');
  const gateway = await startTestGateway(store.location);
  const { db } = gateway.running.gateway;
  const account = accountCalls(gateway.url, (await gateway.account({ concurrent_limit: 1 })).key);
  await account.create();
  const waiting = account.create({ wait: 60 });
  await expect.poll(async () => (await db.selectFrom('waiting').select('ticket').execute()).length).toBe(1);
  const stopped = gateway[Symbol.asyncDispose]();
  expect(await waiting).toMatchObject({ status: 503, json: { code: 'CAPACITY' } });
  await stopped;
});
