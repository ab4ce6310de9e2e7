import type { Transaction } from 'kysely';
import type { Outbox } from '../seams/outbox.ts';
import type { Database } from '../store/database.ts';
import type { CrawlPageRow, CrawlRow, PageState } from '../store/tables/crawl-tables.ts';
import type { Tables } from '../store/tables.ts';
import type { CrawlLimits } from './crawl-context.ts';
import { lockCrawl, lockRunning } from './crawl-lock-store.ts';
import { endCrawl } from './crawl-store.ts';
import { addPages, type NewPage } from './page-queue-store.ts';
import { presentCrawl } from './present-crawl.ts';

/** What became of a page. */
export interface PageResult {
  state: Extract<PageState, 'done' | 'failed' | 'skipped'>;
  facts: Partial<
    Pick<
      CrawlPageRow,
      | 'loaded_url'
      | 'canonical'
      | 'status'
      | 'title'
      | 'content_type'
      | 'error_code'
      | 'error_message'
      | 'session_id'
      | 'bytes'
      | 'content_hash'
      | 'etag'
      | 'last_modified'
    >
  >;
  /** The formats, compressed and sealed. */
  sealed?: Uint8Array;
  /** Addresses that the page is known by besides its own: a page that has one of them already is the same. */
  aliases: readonly string[];
  found: readonly NewPage[];
}

interface ResultStore {
  db: Database;
  outbox: Outbox;
  crawlLimits: CrawlLimits;
}

/** How often `crawl.progress` is written. */
const progressMs = 5000;

/**
 * Stores the result of a page with what was found there, if the runner still has the page. Returns what became of the
 * page. Undefined if it was given up, and is another's; or the crawl has ended.
 */
export function finishPage(
  { db, outbox, crawlLimits }: ResultStore,
  page: CrawlPageRow,
  result: PageResult,
  now: number,
): Promise<PageResult['state'] | 'duplicate' | undefined> {
  const { keepMs } = crawlLimits;
  return db.transaction().execute(async (trx) => {
    const crawl = await lockRunning(trx, page.crawl_id);
    if (!crawl || !(await isClaimed(trx, page))) return undefined;
    const isDuplicate = await meetsItself(trx, page, result);
    const state = isDuplicate ? 'duplicate' : result.state;
    const stored = isDuplicate ? undefined : result.sealed;
    if (stored && !(await takeRoom(trx, crawl, stored.length, crawlLimits))) {
      await endCrawl(trx, outbox, crawl.id, { state: 'failed', why: tooMuch, now, keepMs });
      return undefined;
    }
    const result_seq = page.kind === 'page' && !isDuplicate ? crawl.result_seq + 1 : null;
    await setPage(trx, page, { ...result.facts, state, loaded_at: now, result_seq, claimed_by: null });
    if (stored)
      await trx
        .insertInto('crawl_results')
        .values({ crawl_id: page.crawl_id, number: page.number, sealed: stored })
        .execute();
    const added = await addPages(trx, crawl, result.found, page.origin);
    const after = await trx
      .updateTable('crawls')
      .set((e) => ({
        ...added,
        open: e('open', '+', added.open - 1),
        bytes: e('bytes', '+', stored?.length ?? 0),
        ...(result_seq !== null && { result_seq }),
        ...(page.kind === 'page' && { [countOf[state]]: e(countOf[state], '+', 1) }),
      }))
      .where('id', '=', crawl.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    if (after.open === 0) await endCrawl(trx, outbox, crawl.id, { state: 'done', now, keepMs });
    else if (after.progress_at <= now - progressMs) await reportProgress(trx, outbox, after, now);
    return state;
  });
}

const tooMuch =
  'The results are larger than they may be. Ask for fewer formats or pages, or delete older crawls.';

const countOf = {
  done: 'done',
  failed: 'failed',
  skipped: 'skipped',
  duplicate: 'duplicates',
} as const;

/** Whether the runner still has the page. It cannot change under the crawl's lock. */
async function isClaimed(trx: Transaction<Tables>, page: CrawlPageRow): Promise<boolean> {
  const found = await trx
    .selectFrom('crawl_pages')
    .select('number')
    .where('crawl_id', '=', page.crawl_id)
    .where('number', '=', page.number)
    .where('state', '=', 'claimed')
    .where('claimed_by', '=', page.claimed_by)
    .executeTakeFirst();
  return found !== undefined;
}

async function changeHost(
  trx: Transaction<Tables>,
  { crawl_id, origin }: CrawlPageRow,
  { running = 0, pending = 0, notBefore = 0 }: { running?: number; pending?: number; notBefore?: number },
): Promise<void> {
  await trx
    .updateTable('crawl_hosts')
    .set((e) => ({
      running: e('running', '+', running),
      pending: e('pending', '+', pending),
      next_at: e.case().when('next_at', '<', notBefore).then(notBefore).else(e.ref('next_at')).end(),
    }))
    .where('crawl_id', '=', crawl_id)
    .where('origin', '=', origin)
    .execute();
}

async function setPage(
  trx: Transaction<Tables>,
  page: CrawlPageRow,
  values: Partial<CrawlPageRow>,
): Promise<void> {
  await trx
    .updateTable('crawl_pages')
    .set(values)
    .where('crawl_id', '=', page.crawl_id)
    .where('number', '=', page.number)
    .execute();
}

/**
 * Decides whether a page is another one under a different address. One that still waits to be loaded gives way; one that
 * did not load is none.
 */
async function meetsItself(
  trx: Transaction<Tables>,
  page: CrawlPageRow,
  { state, aliases }: PageResult,
): Promise<boolean> {
  if (state !== 'done') return false;
  for (const hash of aliases) {
    if (hash === page.hash) continue;
    await trx
      .insertInto('crawl_addresses')
      .values({ crawl_id: page.crawl_id, hash, number: page.number })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const other = await trx
      .selectFrom('crawl_addresses as a')
      .innerJoin('crawl_pages as p', (join) =>
        join.onRef('p.crawl_id', '=', 'a.crawl_id').onRef('p.number', '=', 'a.number'),
      )
      .selectAll('p')
      .where('a.crawl_id', '=', page.crawl_id)
      .where('a.hash', '=', hash)
      .executeTakeFirst();
    if (!other || other.number === page.number || other.state === 'failed') continue;
    if (other.state !== 'pending') return true;
    await setPage(trx, other, { state: 'duplicate' });
    await changeHost(trx, other, { pending: -1 });
    await trx
      .updateTable('crawls')
      .set((e) => ({ open: e('open', '-', 1), duplicates: e('duplicates', '+', 1) }))
      .where('id', '=', page.crawl_id)
      .execute();
  }
  return false;
}

/** Counts bytes against the limits of the crawl and of its account. False: they are too many. */
async function takeRoom(
  trx: Transaction<Tables>,
  crawl: CrawlRow,
  bytes: number,
  { crawlMaxBytes, accountMaxBytes }: CrawlLimits,
): Promise<boolean> {
  if (crawl.bytes + bytes > crawlMaxBytes || bytes > accountMaxBytes) return false;
  const taken = await trx
    .insertInto('crawl_usage')
    .values({ account_id: crawl.account_id, bytes })
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet((e) => ({ bytes: e('crawl_usage.bytes', '+', bytes) }))
        .where('crawl_usage.bytes', '<=', accountMaxBytes - bytes),
    )
    .returning('bytes')
    .executeTakeFirst();
  return taken !== undefined;
}

async function reportProgress(
  trx: Transaction<Tables>,
  outbox: Outbox,
  crawl: CrawlRow,
  now: number,
): Promise<void> {
  await trx.updateTable('crawls').set({ progress_at: now }).where('id', '=', crawl.id).execute();
  const { account_id: accountId } = crawl;
  await outbox(trx, {
    kind: 'crawl',
    type: 'crawl.progress',
    accountId,
    at: now,
    crawl: presentCrawl(crawl, 0),
  });
}

export interface Release {
  /** Whether the attempt counts. It does not if the gateway stops. */
  counts: boolean;
  /** Before this time no page of its host is loaded. */
  notBefore?: number;
}

/** Gives a page back, so that any runner may take it. */
export function releasePage(
  db: Database,
  page: CrawlPageRow,
  { counts, notBefore = 0 }: Release,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    await lockCrawl(trx, page.crawl_id);
    if (!(await isClaimed(trx, page))) return false;
    const attempts = page.attempts - (counts ? 0 : 1);
    await setPage(trx, page, { state: 'pending', claimed_by: null, attempts });
    await changeHost(trx, page, { running: -1, pending: 1, notBefore });
    return true;
  });
}

/** The page that a runner has, if it has one. */
export function pageOfRunner(
  db: Database,
  crawlId: string,
  runnerId: string,
): Promise<CrawlPageRow | undefined> {
  return db
    .selectFrom('crawl_pages')
    .selectAll()
    .where('crawl_id', '=', crawlId)
    .where('claimed_by', '=', runnerId)
    .where('state', '=', 'claimed')
    .executeTakeFirst();
}

/** What tells whether a page has changed since a load. */
export type LastLoad = Pick<CrawlPageRow, 'content_hash' | 'etag' | 'last_modified'>;

/** The last load of a page in another crawl of the same account that compared pages too. */
export function lastLoad(
  db: Database,
  accountId: string,
  { crawl_id, hash }: CrawlPageRow,
): Promise<LastLoad | undefined> {
  return db
    .selectFrom('crawl_pages as p')
    .innerJoin('crawls as c', 'c.id', 'p.crawl_id')
    .select(['p.content_hash', 'p.etag', 'p.last_modified'])
    .where('p.hash', '=', hash)
    .where('c.account_id', '=', accountId)
    .where('p.crawl_id', '!=', crawl_id)
    .where('p.content_hash', 'is not', null)
    .orderBy('p.loaded_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Reads results in the order in which they came. */
export function listResults(
  db: Database,
  crawlId: string,
  after: number,
  limit: number,
): Promise<CrawlPageRow[]> {
  return db
    .selectFrom('crawl_pages')
    .selectAll()
    .where('crawl_id', '=', crawlId)
    .where('result_seq', '>', after)
    .orderBy('result_seq')
    .limit(limit)
    .execute();
}

export async function readSealedResult(
  db: Database,
  crawlId: string,
  number: number,
): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom('crawl_results')
    .select('sealed')
    .where('crawl_id', '=', crawlId)
    .where('number', '=', number)
    .executeTakeFirst();
  return row?.sealed;
}
