import { sql, type Transaction } from 'kysely';
import type { Database } from '../store/database.ts';
import { jsonRows } from '../store/json-rows.ts';
import type { CrawlHostRow, CrawlPageRow, CrawlRow } from '../store/tables/crawl-tables.ts';
import type { Tables } from '../store/tables.ts';
import { lockForRunner, lockRunning } from './crawl-lock-store.ts';
import type { Address } from './site/address.ts';
import type { RobotsRules } from './site/robots.ts';

/** The pages of a crawl that are to be loaded. All changes are made under the lock of the crawl's row. */

export interface NewPage extends Pick<Address, 'url' | 'origin' | 'hash'> {
  kind: 'page' | 'sitemap';
  depth: number;
}

/** How many rows one statement inserts. */
const insertedAtATime = 500;
/** Sitemaps of one crawl. */
const maxSitemaps = 100;

/** What the crawl's row has to say after pages were added: `open` is how many more there are. */
type Added = Pick<CrawlRow, 'next_number' | 'found' | 'sitemaps' | 'open'>;

/**
 * Adds pages that the crawl has not seen yet, as many as its limit allows. Whether an address was seen is decided by the
 * insert of its key. `finished` is the host of a page that is loaded no more. Call it under the crawl's lock, with the row
 * as it is, and write what it returns there.
 */
export async function addPages(
  trx: Transaction<Tables>,
  crawl: CrawlRow,
  pages: readonly NewPage[],
  finished?: string,
): Promise<Added> {
  let { next_number, found, sitemaps } = crawl;
  const room = { page: crawl.page_limit - found, sitemap: maxSitemaps - sitemaps };
  const added: NumberedPage[] = [];
  for (let at = 0; at < pages.length && (room.page > 0 || room.sitemap > 0); ) {
    const chunk: NumberedPage[] = [];
    const left = { ...room };
    for (; at < pages.length && chunk.length < insertedAtATime; at++) {
      const page = pages[at] as NewPage;
      if (left[page.kind] > 0) {
        left[page.kind] -= 1;
        chunk.push({ ...page, number: next_number++ });
      } else if (chunk.length > 0) break;
    }
    const isNew = new Set(await insertAddresses(trx, crawl.id, chunk));
    for (const page of chunk) {
      // One that is given twice counts once.
      if (!isNew.delete(page.hash)) continue;
      added.push(page);
      room[page.kind] -= 1;
      if (page.kind === 'page') found += 1;
      else sitemaps += 1;
    }
  }
  for (let at = 0; at < added.length; at += insertedAtATime)
    await insertPages(trx, crawl.id, added.slice(at, at + insertedAtATime));
  await changeHosts(trx, crawl, added, finished);
  return { next_number, found, sitemaps, open: added.length };
}

type NumberedPage = NewPage & { number: number };

/** Answers the hashes that were new. */
async function insertAddresses(
  trx: Transaction<Tables>,
  crawlId: string,
  pages: readonly NumberedPage[],
): Promise<string[]> {
  if (pages.length === 0) return [];
  const rows = pages.map(({ hash, number }) => [hash, String(number)]);
  const inserted = await sql<{ hash: string }>`
    insert into crawl_addresses (crawl_id, hash, number)
    select cast(${crawlId} as text), c0, cast(c1 as integer) from ${jsonRows(trx, rows, 2)} where true
    on conflict do nothing returning hash`.execute(trx);
  return inserted.rows.map(({ hash }) => hash);
}

async function insertPages(
  trx: Transaction<Tables>,
  crawlId: string,
  pages: readonly NumberedPage[],
): Promise<void> {
  const rows = pages.map(({ number, kind, url, hash, origin, depth }) => [
    ...[String(number), kind, url, hash, origin, String(depth)],
  ]);
  await sql`
    insert into crawl_pages (crawl_id, number, kind, url, hash, origin, depth, state)
    select cast(${crawlId} as text), cast(c0 as integer), c1, c2, c3, c4, cast(c5 as integer), 'pending'
    from ${jsonRows(trx, rows, 6)}`.execute(trx);
}

async function changeHosts(
  trx: Transaction<Tables>,
  { id, created_at }: CrawlRow,
  pages: readonly NewPage[],
  finished: string | undefined,
): Promise<void> {
  const pending = new Map<string, number>(finished === undefined ? [] : [[finished, 0]]);
  for (const { origin } of pages) pending.set(origin, (pending.get(origin) ?? 0) + 1);
  if (pending.size === 0) return;
  const rows = [...pending].map(([origin, count]) => [
    origin,
    String(count),
    origin === finished ? '-1' : '0',
  ]);
  await sql`
    insert into crawl_hosts (crawl_id, origin, pending, running, next_at)
    select cast(${id} as text), c0, cast(c1 as integer), cast(c2 as integer), cast(${created_at} as bigint)
    from ${jsonRows(trx, rows, 3)} where true
    on conflict (crawl_id, origin) do update set
      pending = crawl_hosts.pending + excluded.pending, running = crawl_hosts.running + excluded.running`.execute(
    trx,
  );
}

export type Claim =
  | { kind: 'page'; page: CrawlPageRow; robots: RobotsRules | undefined }
  /** Nothing may be loaded now. */
  | { kind: 'later'; inMs: number }
  /** The crawl has ended, or the runner is given up. */
  | { kind: 'over' };

/** How long a runner waits for pages that others still load, before it asks again. */
const askAgainMs = 500;

/** Claims the next page for a runner: of the host whose turn it is. */
export function claimPage(db: Database, crawlId: string, runnerId: string, now: number): Promise<Claim> {
  return db.transaction().execute(async (trx): Promise<Claim> => {
    const crawl = await lockForRunner(trx, crawlId, runnerId);
    if (!crawl) return { kind: 'over' };
    const host = await trx
      .selectFrom('crawl_hosts')
      .selectAll()
      .where('crawl_id', '=', crawlId)
      .where('pending', '>', 0)
      .where('running', '<', crawl.host_concurrency)
      .orderBy('next_at')
      .limit(1)
      .executeTakeFirst();
    if (!host) return { kind: 'later', inMs: askAgainMs };
    if (host.next_at > now) return { kind: 'later', inMs: host.next_at - now };
    const page = await takeFirst(trx, host, runnerId);
    await trx
      .updateTable('crawl_hosts')
      .set((e) => ({
        pending: e('pending', '-', 1),
        running: e('running', '+', 1),
        next_at: now + Math.max(crawl.delay_ms, host.delay_ms),
      }))
      .where('crawl_id', '=', crawlId)
      .where('origin', '=', host.origin)
      .execute();
    return { kind: 'page', page, robots: host.robots === null ? undefined : JSON.parse(host.robots) };
  });
}

function takeFirst(
  trx: Transaction<Tables>,
  { crawl_id, origin }: CrawlHostRow,
  runnerId: string,
): Promise<CrawlPageRow> {
  return trx
    .updateTable('crawl_pages')
    .set((e) => ({ state: 'claimed', claimed_by: runnerId, attempts: e('attempts', '+', 1) }))
    .where('crawl_id', '=', crawl_id)
    .where('state', '=', 'pending')
    .where('number', '=', (e) =>
      e
        .selectFrom('crawl_pages')
        .select('number')
        .where('crawl_id', '=', crawl_id)
        .where('origin', '=', origin)
        .where('state', '=', 'pending')
        .orderBy('number')
        .limit(1),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Stores what the robots.txt of a host says, and adds the sitemaps that it names. The first to come counts. */
export function storeRobots(
  db: Database,
  crawlId: string,
  origin: string,
  robots: RobotsRules,
  sitemaps: readonly NewPage[],
): Promise<void> {
  return db.transaction().execute(async (trx) => {
    const crawl = await lockRunning(trx, crawlId);
    const { numUpdatedRows } = await trx
      .updateTable('crawl_hosts')
      .set({ robots: JSON.stringify(robots), delay_ms: robots.delayMs })
      .where('crawl_id', '=', crawlId)
      .where('origin', '=', origin)
      .where('robots', 'is', null)
      .executeTakeFirst();
    if (!crawl || numUpdatedRows === 0n) return;
    const { open, ...added } = await addPages(trx, crawl, sitemaps);
    await trx
      .updateTable('crawls')
      .set((e) => ({ ...added, open: e('open', '+', open) }))
      .where('id', '=', crawlId)
      .execute();
  });
}
