import { createLogger } from '@turnpike/process/logger';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../apps/gateway/src/store/database.ts';
import { startPgBouncer } from '../../fixtures/database/pgbouncer.ts';
import { sharedDatabase } from '../../fixtures/database/shared-database.ts';
import { startTestGateway } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

watchLeaks();

test('through PgBouncer in transaction mode gateways start at once, migrate once, and keep every limit', async () => {
  await using database = await sharedDatabase();
  await using bouncer = await startPgBouncer(database.url);
  const location = { engine: 'postgres', url: bouncer.urlOf(database.url) } as const;
  const [first, second] = await Promise.all([
    startTestGateway(location, { hostName: 'one' }),
    startTestGateway(location, { hostName: 'two' }),
  ]);
  await using one = first;
  await using two = second;
  // A lock of a connection's own would stay behind on a connection that others are given.
  const locks = sql`select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
    where locktype = 'advisory' and datname = current_database()`;
  expect((await locks.execute(one.running.gateway.db)).rows).toEqual([]);
  const account = await one.account({ creates_per_minute: 1000 });
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      fetch(`${i % 2 ? one.url : two.url}/connect?proxy=${encodeURIComponent(account.proxy)}`, {
        headers: { 'x-api-key': account.key },
      }),
    ),
  );
  const ids = answers
    .filter(({ status }) => status === 200)
    .map(({ headers }) => headers.get('x-session-id'));
  expect(ids).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(35);
  expect((await account.get('/user/api/limits')).json).toMatchObject({ active: 5, remaining: 0 });
  const page = (await account.get('/user/api/sessions?limit=2')).json;
  expect(page.sessions).toHaveLength(2);
  const rotated = await account.post('/user/api/regenerate-key');
  expect(rotated.status).toBe(200);
  expect((await account.get('/user/api/me')).status).toBe(401);
});

test('PostgreSQL knows hot statements by their names, unless a pooler stands between', async () => {
  await using database = await sharedDatabase();
  await using bouncer = await startPgBouncer(database.url);
  for (const [url, isDirect] of [
    [database.url, true],
    [bouncer.urlOf(database.url), false],
  ] as const) {
    await using gateway = await startTestGateway({ engine: 'postgres', url });
    const account = await gateway.account();
    for (let round = 0; round < 3; round++) expect((await account.get('/user/api/limits')).status).toBe(200);
    const names = sql<{ name: string }>`select name from pg_prepared_statements where name like 'turnpike%'`;
    const connections = await Promise.all(
      Array.from({ length: 10 }, () => names.execute(gateway.running.gateway.db)),
    );
    expect(connections.some(({ rows }) => rows.length > 0)).toBe(isDirect);
  }
});

test('a version that does not know the latest migration starts, and rows of the former one are taken', async () => {
  await using database = await sharedDatabase();
  const location = { engine: 'postgres', url: database.url } as const;
  const logs: string[] = [];
  const logger = createLogger('warn', { write: (line) => void logs.push(line) });
  const db = await openDatabase(location, logger);
  await sql`insert into kysely_migration (name, timestamp) values ('9999-later', ${new Date().toISOString()})`.execute(
    db,
  );
  // As a gateway of before hosts had seats announces its own.
  await sql`insert into hosts (name, boot, public_url, heartbeat_at) values ('old', 'b', 'ws://old', 1)`.execute(
    db,
  );
  await db.destroy();
  const again = await openDatabase(location, logger);
  expect(logs.join('')).toContain('9999-later');
  expect(await again.selectFrom('hosts').selectAll().executeTakeFirst()).toMatchObject({
    name: 'old',
    state: 'live',
  });
  await again.destroy();
});
