import { createLogger } from '@turnpike/process/logger';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../apps/gateway/src/store/database.ts';
import { isStoreOutage } from '../../../apps/gateway/src/store/outage.ts';
import { startPostgres } from '../../fixtures/database/postgres.ts';
import { startTestGateway, testStore } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

watchLeaks();

test('with PostgreSQL stopped key look-ups are 503, endings wait, and service resumes by itself', async () => {
  await using postgres = await startPostgres();
  await using gateway = await startTestGateway({ engine: 'postgres', url: await postgres.createDatabase() });
  const account = await gateway.account();
  const [closed, died] = [
    (await account.connect()).headers.get('x-session-id') ?? '',
    (await account.connect()).headers.get('x-session-id') ?? '',
  ];
  await postgres.stop();

  const unavailable = { status: 503, json: { error: 'Authentication service temporarily unavailable' } };
  const answers = await Promise.all([
    account.connect(),
    account.create(),
    account.close(closed),
    account.connect({ sessionId: closed }),
    account.get(`/api/browser/${closed}/status`),
    account.get('/api/browsers'),
    account.get('/user/api/limits'),
    account.get('/user/api/me'),
    account.post('/user/api/regenerate-key'),
  ]);
  for (const answer of answers) expect(answer).toMatchObject(unavailable);
  gateway.host.end(died, 'gone');
  expect((await account.get('/user/api/me')).status).toBe(503);

  await postgres.start();
  await expect.poll(async () => (await account.get('/user/api/limits')).status).toBe(200);
  await expect.poll(async () => (await account.get(`/api/browser/${died}/status`)).json.status).toBe('DEAD');
  expect((await account.close(closed)).json).toEqual({ browserId: closed, status: 'CLOSED' });
  expect((await account.get('/user/api/me')).json.usage).toMatchObject({ sessions: 2, browserSeconds: 60 });
  expect((await account.connect()).status).toBe(200);
});

test('a connection that breaks between two statements of a transaction is an outage, and ends no process', async () => {
  await using store = await testStore('postgres');
  const db = await openDatabase(store.location, createLogger('silent'));
  const lost = db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(trx);
    const pid = rows[0]?.pid ?? 0;
    await sql`SELECT pg_terminate_backend(${pid})`.execute(db);
    const stillThere = () => sql`SELECT FROM pg_stat_activity WHERE pid = ${pid}`.execute(db);
    await expect.poll(async () => (await stillThere()).rows.length).toBe(0);
    await sql`SELECT 1`.execute(trx);
  });
  await expect(lost).rejects.toSatisfy(isStoreOutage);
  await sql`SELECT 1`.execute(db);
  await db.destroy();
});
