import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { expect, test } from 'vitest';
import { startGatewayOn } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

watchLeaks();

const page = readFileSync(join(import.meta.dirname, '../../../docs/scaling.md'), 'utf8');
const [, written = ''] = /```sql\n([\s\S]*?)```/.exec(page) ?? [];
const year = new Date().getUTCFullYear();
/** The page's years are 2027 and the one after it: here, those that are to come. */
const statements = written.replaceAll('2028', `${year + 2}`).replaceAll('2027', `${year + 1}`);

test('usage by day can be partitioned as docs/scaling.md says, while a gateway serves', async () => {
  await using gateway = await startGatewayOn('postgres');
  const account = await gateway.account();
  const live = async () => account.close((await account.create()).json.browserId);
  await live();
  let done = false;
  const serving = (async () => {
    let sessions = 0;
    for (; !done; sessions++) expect((await live()).json.status).toBe('CLOSED');
    return sessions;
  })();
  const { db } = gateway.running.gateway;
  await db.connection().execute(async (connection) => {
    for (const statement of statements.split(';\n').filter((text) => text.trim() !== ''))
      await connection.executeQuery(CompiledQuery.raw(statement));
  });
  await live();
  done = true;
  const sessions = (await serving) + 2;

  const { totals, days } = (await account.get('/user/api/usage')).json;
  expect(totals).toMatchObject({ sessions, browserSeconds: sessions * 30 });
  expect(days.at(-1)).toMatchObject({ sessions });
  gateway.clock.set(Date.UTC(year + 1, 5, 1));
  await live();
  const partitions = CompiledQuery.raw(
    'SELECT tableoid::regclass::text AS name, sum(sessions)::int AS sessions FROM usage_days GROUP BY 1 ORDER BY 1',
  );
  expect((await db.executeQuery(partitions)).rows).toEqual([
    { name: `usage_days_${year + 1}`, sessions: 1 },
    { name: 'usage_days_past', sessions },
  ]);
});
