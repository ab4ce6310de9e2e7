import { createHmac } from 'node:crypto';
import type { Crawl, CrawlList } from '@turnpike/contract/crawl';
import { errors } from '@turnpike/contract/errors';
import { hashedKey } from '../creates/idempotency.ts';
import { ApiError } from '../http/api-error.ts';
import { iso } from '../http/iso.ts';
import { associatedData } from '../secrets/associated-data.ts';
import { newCrawlId } from '../secrets/new-ids.ts';
import type { CrawlPageRow } from '../store/tables/crawl-tables.ts';
import { type PageRequest, pageOf } from '../store/time-page.ts';
import type { CrawlContext } from './crawl-context.ts';
import type { AskedCrawl } from './crawl-request.ts';
import {
  type CrawlWithSessions,
  endCrawl,
  expireCrawl,
  findCrawl,
  insertCrawl,
  listCrawls,
} from './crawl-store.ts';
import { unpackResult } from './load-page.ts';
import { listResults, readSealedResult } from './page-result-store.ts';
import { presentCrawl } from './present-crawl.ts';

/** An account's operations on its crawls. */

/** Crawls of an account that have not ended. */
const maxActive = 20;

/** Stores a crawl. With an Idempotency-Key that was used before, it answers with the crawl of then. */
export async function createCrawl(
  context: CrawlContext,
  accountId: string,
  asked: AskedCrawl,
  key: string | undefined,
): Promise<Crawl> {
  const { db, now, sealer, crawlLimits } = context;
  const id = newCrawlId();
  const plan = JSON.stringify(asked.plan);
  const createdAt = now();
  const stored = await insertCrawl(
    db,
    {
      id,
      account_id: accountId,
      state: 'queued',
      url: asked.url,
      plan_sealed: sealer.seal(plan, associatedData.crawlPlan(id)),
      page_limit: asked.limit,
      concurrency: asked.concurrency,
      host_concurrency: asked.hostConcurrency,
      delay_ms: asked.delayMs,
      created_at: createdAt,
      // Until it ends: that decides how long it is kept.
      expires_at: createdAt + 2 * crawlLimits.keepMs,
      next_at: createdAt,
      ...(key !== undefined && {
        key_hash: hashedKey(accountId, key).keyHash,
        plan_hash: createHmac('sha256', key).update(JSON.stringify(asked)).digest('hex'),
      }),
    },
    asked.pages,
    maxActive,
  );
  if (stored.outcome === 'other-plan') throw new ApiError('idempotencyMismatch');
  if (stored.outcome === 'too-many') throw new ApiError('tooManyCrawls');
  context.crawlsChanged();
  return presentCrawl(stored.crawl, 0);
}

export async function listOwnCrawls(
  context: CrawlContext,
  accountId: string,
  request: PageRequest,
): Promise<CrawlList> {
  const { db, now } = context;
  const rows = await listCrawls(db, accountId, now(), request);
  const { page, nextCursor } = pageOf(rows, request.limit, ({ created_at, id }) => ({ at: created_at, id }));
  return { crawls: page.map((row) => presentOwn(context, row)), nextCursor };
}

/** Of a gateway without page calls: crawls wait, unless another gateway goes on with them. */
function presentOwn({ pageCalls }: CrawlContext, crawl: CrawlWithSessions): Crawl {
  const row = pageCalls ? crawl : { ...crawl, waiting: errors.pageCallsOff.code };
  return presentCrawl(row, crawl.sessions);
}

async function ownCrawl({ db, now }: CrawlContext, accountId: string, id: string) {
  const crawl = await findCrawl(db, accountId, id, now());
  if (!crawl) throw new ApiError('notFound');
  return crawl;
}

export async function readOwnCrawl(context: CrawlContext, accountId: string, id: string): Promise<Crawl> {
  return presentOwn(context, await ownCrawl(context, accountId, id));
}

/** Cancels a crawl. One that has ended stays as it is. Its results can still be read, unless they are deleted too. */
export async function cancelCrawl(
  context: CrawlContext,
  accountId: string,
  id: string,
  deletesResults: boolean,
): Promise<Crawl> {
  const { db, now, outbox, crawlLimits } = context;
  await ownCrawl(context, accountId, id);
  await db
    .transaction()
    .execute((trx) =>
      endCrawl(trx, outbox, id, { state: 'cancelled', now: now(), keepMs: crawlLimits.keepMs }),
    );
  const crawl = await readOwnCrawl(context, accountId, id);
  if (deletesResults) await expireCrawl(db, id, now());
  context.crawlsChanged();
  return crawl;
}

/** An answer ends with the result that takes it beyond this size. */
const answerBytes = 8 * 2 ** 20;

/** Writes results as JSON. What the host has made is not parsed. */
export async function readResults(
  context: CrawlContext,
  accountId: string,
  id: string,
  { after, limit, withFormats }: { after: number; limit: number; withFormats: boolean },
): Promise<Buffer> {
  const crawl = await ownCrawl(context, accountId, id);
  const rows = await listResults(context.db, id, after, limit);
  const written: Buffer[] = [];
  let last = after;
  let size = 0;
  for (const row of rows) {
    if (size > answerBytes) break;
    const formats = withFormats ? await readFormats(context, row) : Buffer.from('null');
    size += formats.length;
    last = row.result_seq ?? last;
    const head = `${written.length === 0 ? '' : ','}${JSON.stringify(presentPage(row)).slice(0, -1)},"formats":`;
    written.push(Buffer.from(head), formats, Buffer.from('}'));
  }
  const isOver = crawl.ended_at !== null && last >= crawl.result_seq;
  const end = `],"nextCursor":${isOver ? 'null' : JSON.stringify(String(last))}}`;
  return Buffer.concat([Buffer.from('{"pages":['), ...written, Buffer.from(end)]);
}

async function readFormats(
  { db, sealer }: CrawlContext,
  { crawl_id, number }: CrawlPageRow,
): Promise<Buffer> {
  const sealed = await readSealedResult(db, crawl_id, number);
  if (!sealed) return Buffer.from('null');
  return unpackResult(await sealer.openLarge(sealed, associatedData.crawlResult(crawl_id, number)));
}

function presentPage(row: CrawlPageRow) {
  return {
    url: row.url,
    loadedUrl: row.loaded_url,
    canonical: row.canonical,
    depth: row.depth,
    result: row.state,
    status: row.status,
    title: row.title,
    contentType: row.content_type,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    sessionId: row.session_id,
    loadedAt: iso(row.loaded_at ?? 0),
    bytes: row.bytes,
  };
}
