import type { ProxyState } from '@turnpike/contract/proxies';
import { sql } from 'kysely';
import type { Database } from '../store/database.ts';
import { isRunning } from '../store/session-states.ts';
import type { HostRow } from '../store/tables.ts';

export async function countRunningSessions(db: Database): Promise<{ STARTING: number; ACTIVE: number }> {
  const rows = await db
    .selectFrom('sessions')
    .select((e) => ['state', e.fn.countAll<number>().as('count')])
    .where(isRunning)
    .groupBy('state')
    .execute();
  return { STARTING: 0, ACTIVE: 0, ...Object.fromEntries(rows.map(({ state, count }) => [state, count])) };
}

export async function countWaiting(db: Database, now: number): Promise<number> {
  const { count } = await db
    .selectFrom('waiting')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('alive_until', '>=', now)
    .executeTakeFirstOrThrow();
  return count;
}

/** Counts crawls that have not ended. */
export async function countCrawls(db: Database): Promise<{ queued: number; running: number }> {
  const rows = await db
    .selectFrom('crawls')
    .select((e) => ['state', e.fn.countAll<number>().as('count')])
    .where('state', 'in', ['queued', 'running'])
    .groupBy('state')
    .execute();
  return { queued: 0, running: 0, ...Object.fromEntries(rows.map(({ state, count }) => [state, count])) };
}

/** Counts saved proxies by state. */
export async function countProxies(db: Database): Promise<Record<ProxyState, number>> {
  const rows = await db
    .selectFrom('saved_proxies')
    .select((e) => ['state', e.fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute();
  const counts = rows.map(({ state, count }) => [state, count]);
  return { unknown: 0, healthy: 0, failing: 0, ...Object.fromEntries(counts) };
}

export async function countCrawlRunners(db: Database): Promise<number> {
  const { count } = await db
    .selectFrom('crawl_runners')
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Since when a crawl has had no result although it has pages to load and no limit holds it up: the longest. */
export async function longestCrawlWait(db: Database, now: number): Promise<number | undefined> {
  const { rows } = await sql<{ since: number | string | null }>`
    select min(case when last > next_at then last else next_at end) as since from (
      select c.next_at,
        (select p.loaded_at from crawl_pages as p
          where p.crawl_id = c.id and p.result_seq = c.result_seq) as last
      from crawls as c
      where c.state in ('queued', 'running') and c.next_at <= ${now} and c.open > 0
    ) as waiting`.execute(db);
  const since = rows[0]?.since ?? undefined;
  return since === undefined ? undefined : Number(since);
}

export type HostFigures = Pick<HostRow, 'name' | 'heartbeat_at' | 'seats' | 'used'>;

/** Lists hosts that were heard of since then and have not left. */
export function hostFigures(db: Database, since: number): Promise<HostFigures[]> {
  return db
    .selectFrom('hosts')
    .select(['name', 'heartbeat_at', 'seats', 'used'])
    .where('heartbeat_at', '>', since)
    .where('state', '!=', 'removed')
    .where('phase', '!=', 'left')
    .execute();
}
