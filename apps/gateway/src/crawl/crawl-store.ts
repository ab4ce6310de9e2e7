import type { CrawlState } from '@turnpike/contract/crawl';
import { type Insertable, sql, type Transaction } from 'kysely';
import { lockAccount } from '../limits/account-lock-store.ts';
import type { Outbox } from '../seams/outbox.ts';
import type { Database } from '../store/database.ts';
import type { CrawlRow, CrawlTable } from '../store/tables/crawl-tables.ts';
import type { AccountRow, Tables } from '../store/tables.ts';
import { behind, type PageRequest } from '../store/time-page.ts';
import { addPages, type NewPage } from './page-queue-store.ts';
import { presentCrawl } from './present-crawl.ts';

const isActive = sql<boolean>`state in ('queued', 'running')`;

export type StoredCrawl =
  | { outcome: 'created' | 'repeated'; crawl: CrawlRow }
  | { outcome: 'other-plan' }
  | { outcome: 'too-many' };

/** Stores a crawl and its first pages. One with an Idempotency-Key that is known is not stored again. */
export function insertCrawl(
  db: Database,
  row: Insertable<CrawlTable>,
  pages: readonly NewPage[],
  maxActive: number,
): Promise<StoredCrawl> {
  return db.transaction().execute(async (trx): Promise<StoredCrawl> => {
    await lockAccount(trx, row.account_id);
    const known = row.key_hash
      ? await trx
          .selectFrom('crawls')
          .selectAll()
          .where('account_id', '=', row.account_id)
          .where('key_hash', '=', row.key_hash)
          .executeTakeFirst()
      : undefined;
    if (known)
      return known.plan_hash === row.plan_hash
        ? { outcome: 'repeated', crawl: known }
        : { outcome: 'other-plan' };
    const { active } = await trx
      .selectFrom('crawls')
      .select((e) => e.fn.countAll<number>().as('active'))
      .where('account_id', '=', row.account_id)
      .where(isActive)
      .executeTakeFirstOrThrow();
    if (active >= maxActive) return { outcome: 'too-many' };
    const crawl = await trx.insertInto('crawls').values(row).returningAll().executeTakeFirstOrThrow();
    const added = await addPages(trx, crawl, pages);
    await trx.updateTable('crawls').set(added).where('id', '=', row.id).execute();
    return { outcome: 'created', crawl: { ...crawl, ...added } };
  });
}

export type CrawlWithSessions = CrawlRow & { sessions: number };

const withSessions = (db: Database) =>
  db
    .selectFrom('crawls')
    .selectAll()
    .select((e) =>
      e
        .selectFrom('crawl_runners as r')
        .select((r) => r.fn.countAll<number>().as('count'))
        .whereRef('r.crawl_id', '=', 'crawls.id')
        .$asScalar()
        .$notNull()
        .as('sessions'),
    );

/** Finds a crawl of an account that has not expired. */
export function findCrawl(
  db: Database,
  accountId: string,
  id: string,
  now: number,
): Promise<CrawlWithSessions | undefined> {
  return withSessions(db)
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Lists an account's crawls, newest first. One more than the limit tells that there is a next page. */
export function listCrawls(
  db: Database,
  accountId: string,
  now: number,
  { limit, after }: PageRequest,
): Promise<CrawlWithSessions[]> {
  let query = withSessions(db).where('account_id', '=', accountId).where('expires_at', '>', now);
  if (after) query = query.where(behind('created_at', 'id', after));
  return query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
}

export interface CrawlEnd {
  state: Extract<CrawlState, 'done' | 'cancelled' | 'failed'>;
  why?: string;
  now: number;
  keepMs: number;
}

/** Ends a crawl that has not ended yet, and writes its event. The first end counts. */
export async function endCrawl(
  trx: Transaction<Tables>,
  outbox: Outbox,
  id: string,
  { state, why, now, keepMs }: CrawlEnd,
): Promise<boolean> {
  const ended = await trx
    .updateTable('crawls')
    .set({ state, why: why ?? null, waiting: null, ended_at: now, expires_at: now + keepMs })
    .where('id', '=', id)
    .where(isActive)
    .returningAll()
    .executeTakeFirst();
  if (!ended) return false;
  await outbox(trx, {
    kind: 'crawl',
    type: 'crawl.finished',
    accountId: ended.account_id,
    at: now,
    crawl: presentCrawl(ended, 0),
  });
  return true;
}

/** Makes a crawl and its results disappear at once. The reaper deletes the rows. */
export async function expireCrawl(db: Database, id: string, now: number): Promise<void> {
  await db.updateTable('crawls').set({ expires_at: now }).where('id', '=', id).execute();
}

/** Lets a crawl wait, because a session was refused. Counts the refusal if it was no limit's. */
export async function postponeCrawl(
  db: Database,
  id: string,
  { until, waiting, isFailure }: { until: number; waiting: string; isFailure: boolean },
): Promise<void> {
  await db
    .updateTable('crawls')
    .set((e) => ({
      next_at: until,
      waiting,
      failures: isFailure ? e('failures', '+', 1) : e.ref('failures'),
    }))
    .where('id', '=', id)
    .where(isActive)
    .execute();
}

/** A session was opened: nothing is waited for any more. */
export async function resumeCrawl(db: Database, id: string): Promise<void> {
  await db
    .updateTable('crawls')
    .set({ waiting: null, failures: 0 })
    .where('id', '=', id)
    .where((e) => e.or([e('waiting', 'is not', null), e('failures', '>', 0)]))
    .execute();
}

export function findCrawlAccount(db: Database, id: string): Promise<AccountRow | undefined> {
  return db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
}

/** A crawl that a session more could work on. */
export interface Candidate {
  id: string;
  account_id: string;
  /** Its place among those of its account, the oldest first. */
  place: number;
}

const perAccount = 4;
const maxCandidates = 200;

/**
 * Lists crawls that have more to load now than sessions that wait for it. A second session is worth its price only if
 * there is something for both.
 */
export async function listCandidates(db: Database, now: number): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select id, account_id, place from (
      select id, account_id,
        row_number() over (partition by account_id order by created_at, id) as place
      from (
        select c.id, c.account_id, c.created_at, c.open,
          (select count(*) from crawl_runners as r where r.crawl_id = c.id) as runners,
          (select coalesce(sum(h.running), 0) from crawl_hosts as h where h.crawl_id = c.id) as running,
          (select coalesce(sum(case when h.pending < c.host_concurrency - h.running
              then h.pending else c.host_concurrency - h.running end), 0)
            from crawl_hosts as h where h.crawl_id = c.id and h.pending > 0 and h.next_at <= ${now}
              and h.running < c.host_concurrency) as claimable
        from crawls as c
        where c.state in ('queued', 'running') and c.next_at <= ${now} and c.expires_at > ${now}
      ) as facts
      where claimable > runners - running and (runners = 0 or open - running >= 2 * runners)
    ) as placed
    where place <= ${sql.lit(perAccount)} order by place, account_id limit ${sql.lit(maxCandidates)}`.execute(
    db,
  );
  return rows;
}

/** Lists crawls that have taken too long. */
export async function overdueCrawls(db: Database, createdBefore: number): Promise<string[]> {
  const rows = await db
    .selectFrom('crawls')
    .select('id')
    .where(isActive)
    .where('created_at', '<', createdBefore)
    .limit(100)
    .execute();
  return rows.map(({ id }) => id);
}

export async function expiredCrawls(db: Database, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('crawls')
    .select('id')
    .where('expires_at', '<=', now)
    .where((e) => e.not(isActive))
    .where((e) =>
      e.not(
        e.exists(e.selectFrom('crawl_runners as r').select('r.id').whereRef('r.crawl_id', '=', 'crawls.id')),
      ),
    )
    .limit(20)
    .execute();
  return rows.map(({ id }) => id);
}

/** Rows per statement: SQLite answers nothing else meanwhile. */
const deletedAtATime = 200;

/** Deletes a part of what an expired crawl has left. True: all of it is gone. */
export async function deleteSomeRows(db: Database, id: string): Promise<boolean> {
  for (const [table, key] of [
    ['crawl_results', 'number'],
    ['crawl_pages', 'number'],
    ['crawl_addresses', 'hash'],
    ['crawl_hosts', 'origin'],
  ] as const) {
    const { rows } = await sql`
      delete from ${sql.table(table)} where crawl_id = ${id} and ${sql.ref(key)} in (
        select ${sql.ref(key)} from ${sql.table(table)} where crawl_id = ${id} limit ${sql.lit(deletedAtATime)}
      ) returning crawl_id`.execute(db);
    if (rows.length > 0) return false;
  }
  await db.transaction().execute(async (trx) => {
    const crawl = await trx
      .deleteFrom('crawls')
      .where('id', '=', id)
      .returning(['account_id', 'bytes'])
      .executeTakeFirst();
    if (!crawl) return;
    await trx
      .updateTable('crawl_usage')
      .set((e) => ({ bytes: e('bytes', '-', crawl.bytes) }))
      .where('account_id', '=', crawl.account_id)
      .execute();
  });
  return true;
}
