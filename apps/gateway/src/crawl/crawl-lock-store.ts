import type { Transaction } from 'kysely';
import type { CrawlRow } from '../store/tables/crawl-tables.ts';
import type { Tables } from '../store/tables.ts';

/** Locks a crawl until the end of the transaction. Undefined if it is gone. */
export function lockCrawl(trx: Transaction<Tables>, id: string): Promise<CrawlRow | undefined> {
  return trx
    .updateTable('crawls')
    .set((e) => ({ next_number: e.ref('next_number') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** The same for one that runs. */
export async function lockRunning(trx: Transaction<Tables>, id: string): Promise<CrawlRow | undefined> {
  const crawl = await lockCrawl(trx, id);
  return crawl?.state === 'running' ? crawl : undefined;
}

/** The same for a runner that was not given up. */
export function lockForRunner(
  trx: Transaction<Tables>,
  id: string,
  runnerId: string,
): Promise<CrawlRow | undefined> {
  return trx
    .updateTable('crawls')
    .set((e) => ({ next_number: e.ref('next_number') }))
    .where('id', '=', id)
    .where('state', '=', 'running')
    .where((e) => e.exists(e.selectFrom('crawl_runners as r').select('r.id').where('r.id', '=', runnerId)))
    .returningAll()
    .executeTakeFirst();
}
