import { lockAccount } from '../limits/account-lock-store.ts';
import { countSlots } from '../limits/slot-store.ts';
import type { Outbox } from '../seams/outbox.ts';
import type { Database } from '../store/database.ts';
import type { CrawlRow, CrawlRunnerRow } from '../store/tables/crawl-tables.ts';
import { lockCrawl } from './crawl-lock-store.ts';
import { presentCrawl } from './present-crawl.ts';

/** Who works on crawls. A runner is valid for as long as it is renewed; then any gateway may clean up after it. */

/** How long a runner is valid without renewal. */
export const leaseMs = 12_000;

export interface NewRunner {
  id: string;
  crawlId: string;
  gateway: string;
  now: number;
  /** Sessions that all crawls of an account may have at once. */
  accountSessions: number;
}

/**
 * Adds a runner to a crawl, unless the crawl or its account has enough. By default the account's own creates keep half of
 * its slots. Returns the crawl, which runs now. `no-slot`: the account's other sessions leave none, and a create would be
 * refused.
 */
export function addRunner(
  { db, outbox }: { db: Database; outbox: Outbox },
  { id, crawlId, gateway, now, accountSessions }: NewRunner,
): Promise<CrawlRow | 'no-slot' | undefined> {
  return db.transaction().execute(async (trx) => {
    const crawl = await lockCrawl(trx, crawlId);
    if (!crawl || crawl.next_at > now || (crawl.state !== 'queued' && crawl.state !== 'running'))
      return undefined;
    const { account_id: accountId } = crawl;
    await lockAccount(trx, accountId);
    const { concurrent_limit } = await trx
      .selectFrom('accounts')
      .select('concurrent_limit')
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow();
    const others = await trx
      .selectFrom('crawl_runners')
      .select('crawl_id')
      .where('account_id', '=', accountId)
      .execute();
    const half = concurrent_limit === null ? accountSessions : Math.max(1, Math.floor(concurrent_limit / 2));
    const own = others.filter(({ crawl_id }) => crawl_id === crawlId).length;
    const hasEnough = crawl.concurrency === null ? others.length >= half : own >= crawl.concurrency;
    if (others.length >= accountSessions || hasEnough) return undefined;
    const { active, starting } = await countSlots(trx, accountId);
    if (concurrent_limit !== null && active + starting >= concurrent_limit) return 'no-slot';
    await trx
      .insertInto('crawl_runners')
      .values({ id, crawl_id: crawlId, account_id: accountId, gateway, alive_until: now + leaseMs })
      .execute();
    if (crawl.state === 'running') return crawl;
    const started = await trx
      .updateTable('crawls')
      .set({ state: 'running', started_at: now, progress_at: now })
      .where('id', '=', crawlId)
      .returningAll()
      .executeTakeFirstOrThrow();
    await outbox(trx, {
      kind: 'crawl',
      type: 'crawl.started',
      accountId,
      at: now,
      crawl: presentCrawl(started, 1),
    });
    return started;
  });
}

/** Renews a runner. False: it was given up, or its crawl has ended. */
export async function renewRunner(
  db: Database,
  { id, gateway }: Pick<CrawlRunnerRow, 'id' | 'gateway'>,
  now: number,
): Promise<boolean> {
  const renewed = await db
    .updateTable('crawl_runners')
    .set({ alive_until: now + leaseMs })
    .where('id', '=', id)
    .where('gateway', '=', gateway)
    .where((e) =>
      e.exists(
        e
          .selectFrom('crawls as c')
          .select('c.id')
          .whereRef('c.id', '=', 'crawl_runners.crawl_id')
          .where('c.state', '=', 'running'),
      ),
    )
    .executeTakeFirst();
  return renewed.numUpdatedRows > 0n;
}

/** Lets a gateway clean up after a runner: one of its own, or one that was not renewed. False: another one does. */
export async function takeOverRunner(
  db: Database,
  { id, alive_until }: Pick<CrawlRunnerRow, 'id' | 'alive_until'>,
  gateway: string,
  now: number,
): Promise<boolean> {
  const taken = await db
    .updateTable('crawl_runners')
    .set({ gateway, alive_until: now + leaseMs })
    .where('id', '=', id)
    .where('alive_until', '=', alive_until)
    .executeTakeFirst();
  return taken.numUpdatedRows > 0n;
}

export function lapsedRunners(db: Database, now: number): Promise<CrawlRunnerRow[]> {
  return db.selectFrom('crawl_runners').selectAll().where('alive_until', '<', now).limit(100).execute();
}

/** Lists a gateway's runners of crawls that have ended. */
export async function endedRunners(db: Database, gateway: string): Promise<string[]> {
  const rows = await db
    .selectFrom('crawl_runners as r')
    .innerJoin('crawls as c', 'c.id', 'r.crawl_id')
    .select('r.id')
    .where('r.gateway', '=', gateway)
    .where('c.state', '!=', 'running')
    .execute();
  return rows.map(({ id }) => id);
}

export async function deleteRunner(db: Database, id: string): Promise<void> {
  await db.deleteFrom('crawl_runners').where('id', '=', id).execute();
}
