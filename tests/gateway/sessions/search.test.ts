import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { parsePage } from '../../../apps/gateway/src/http/page-query.ts';
import { searchSessions } from '../../../apps/gateway/src/sessions/search-sessions.ts';
import type { SessionFilter } from '../../../apps/gateway/src/sessions/session-store.ts';
import type { Database } from '../../../apps/gateway/src/store/database.ts';
import { startGatewayOn } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks();

const rows = 60_000;

/** A long history: every 1,000th session is DEAD, and the very first has a word of its own. */
async function fill(db: Database, accountId: string): Promise<void> {
  await sql`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(rows)})
    insert into sessions (id, account_id, cdp_id, viewer_token, state, deadline_at, created_at, expires_at,
      readable_until, lifetime_seconds, params, metadata)
    select 'br_' || substr('000000000000000000000000', 1, 24 - length(cast(i as text))) || cast(i as text), ${accountId},
      'c' || cast(i as text), 'v', case when i % 1000 = 0 then 'DEAD' else 'CLOSED' end, 0, 1000 + i, 0, 0, 1, '{}',
      case when i = 1 then '{"job":"Needle"}' else '{"job":"hay"}' end
    from n
  `.execute(db);
}

describeEach(quickOn('sqlite'))('a long history on %s', (engine) => {
  test('is searched a bounded piece at a time, and all of it by following the cursor', async () => {
    await using gateway = await startGatewayOn(engine);
    const account = await gateway.account();
    const { db } = gateway.running.gateway;
    await fill(db, account.id);

    const all = async (filter: Partial<SessionFilter>) => {
      const pages: string[][] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const request = { accountId: account.id, ...filter, ...parsePage(cursor ? { cursor } : {}) };
        const { page, nextCursor }: Awaited<ReturnType<typeof searchSessions>> = await searchSessions(
          db,
          request,
        );
        pages.push(page.map(({ created_at }) => String(created_at - 1000)));
        cursor = nextCursor;
      }
      return pages;
    };
    // It is behind what one request looks at.
    expect(await all({ text: 'needle' })).toEqual([[], ['1']]);
    const dead = Array.from({ length: rows / 1000 }, (_, i) => String(rows - i * 1000));
    expect((await all({ status: 'DEAD' })).flat()).toEqual(dead);
    expect((await all({ text: 'needle', status: 'DEAD' })).flat()).toEqual([]);
    expect((await all({ text: 'needle', to: 2000 })).flat()).toEqual(['1']);
    const { id } = await db
      .selectFrom('sessions')
      .select('id')
      .where('created_at', '=', 1001)
      .executeTakeFirstOrThrow();
    expect(await all({ text: id })).toEqual([['1']]);
  });
});
