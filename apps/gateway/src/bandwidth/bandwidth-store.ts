import type { MeterKey, MeterReport, Product } from '@turnpike/contract/bandwidth';
import { type RawBuilder, sql, type Transaction } from 'kysely';
import { attemptTime, recordAttempt, windowMs } from '../accounts/rate-window-store.ts';
import type { Database } from '../store/database.ts';
import { jsonRows } from '../store/json-rows.ts';
import type { AccountRow, Tables } from '../store/tables.ts';

export interface CountedBytes extends MeterKey {
  bytes: bigint;
}

const keyOf = ({ accountId, product, day, country }: MeterKey): string =>
  `${accountId}\n${product}\n${day}\n${country}`;

/** Adds up what shares a key, in the order of the table's key, in which every writer takes its locks. */
export function sumByKey(counts: Iterable<CountedBytes>): CountedBytes[] {
  const sums = new Map<string, CountedBytes>();
  for (const count of counts) {
    const key = keyOf(count);
    const sum = sums.get(key);
    if (sum) sum.bytes += count.bytes;
    else sums.set(key, { ...count });
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

/** Adds to the rollups, from which alone the statistics are read. */
export async function addBytes(trx: Transaction<Tables>, counts: readonly CountedBytes[]): Promise<void> {
  const sums = sumByKey(counts).filter(({ bytes }) => bytes > 0n);
  if (sums.length === 0) return;
  const rows = sums.map(({ accountId, product, day, country, bytes }) => [
    accountId,
    product,
    day,
    country,
    `${bytes}`,
  ]);
  await sql`
    insert into bandwidth_days (account_id, product, day, country, bytes)
    select c0, c1, c2, c3, cast(c4 as bigint) from ${jsonRows(trx, rows, 5)} where true
    on conflict (account_id, product, day, country) do update set bytes = bandwidth_days.bytes + excluded.bytes
  `.execute(trx);
}

/** Remembers the ids of records, and answers which of them are new. */
export async function claimRecordIds(trx: Transaction<Tables>, ids: readonly string[]): Promise<Set<string>> {
  const sorted = [...new Set(ids)].sort();
  if (sorted.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    insert into usage_record_ids (id)
    select c0 from ${jsonRows(
      trx,
      sorted.map((id) => [id]),
      1,
    )} where true
    on conflict (id) do nothing returning id
  `.execute(trx);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Takes a source's cumulative counters and adds what is new of them. The first statement locks the source,
 * so two reports of one source follow each other; one sent twice adds nothing.
 */
export function applyMeterReport(
  db: Database,
  { source, counters }: MeterReport,
  now: number,
): Promise<void> {
  return db.transaction().execute(async (trx) => {
    await trx
      .insertInto('meter_sources')
      .values({ source, reported_at: now })
      .onConflict((conflict) => conflict.column('source').doUpdateSet({ reported_at: now }))
      .execute();
    const known = await knownCounters(trx, source);
    const news = sumByKey(counters)
      .map((counter) => ({ ...counter, bytes: counter.bytes - (known.get(keyOf(counter)) ?? 0n) }))
      .filter(({ bytes }) => bytes > 0n);
    if (news.length === 0) return;
    await addBytes(trx, news);
    const rows = news.map(({ accountId, product, day, country, bytes }) => [
      source,
      accountId,
      product,
      day,
      country,
      `${bytes}`,
    ]);
    await sql`
      insert into meter_counters (source, account_id, product, day, country, bytes)
      select c0, c1, c2, c3, c4, cast(c5 as bigint) from ${jsonRows(trx, rows, 6)} where true
      on conflict (source, account_id, product, day, country) do update set bytes = meter_counters.bytes + excluded.bytes
    `.execute(trx);
  });
}

async function knownCounters(trx: Transaction<Tables>, source: string): Promise<Map<string, bigint>> {
  const rows = await trx
    .selectFrom('meter_counters')
    .select(['account_id as accountId', 'product', 'day', 'country', bytesAsText('bytes').as('bytes')])
    .where('source', '=', source)
    .execute();
  return new Map(rows.map((row) => [keyOf(row), BigInt(row.bytes)]));
}

/** Byte counts leave the store as text: numbers would lose digits past 2^53. */
const bytesAsText = (column: string): RawBuilder<string> => sql<string>`cast(${sql.ref(column)} as text)`;
const sumAsText = sql<string>`cast(coalesce(sum(bytes), 0) as text)`;

export interface BandwidthQuery {
  accountId: string;
  product: Product;
  from: string;
  to: string;
}

const ofRange = (db: Database, { accountId, product, from, to }: BandwidthQuery) =>
  db
    .selectFrom('bandwidth_days')
    .where('account_id', '=', accountId)
    .where('product', '=', product)
    .where('day', '>=', from)
    .where('day', '<=', to);

export async function bytesByDay(db: Database, query: BandwidthQuery): Promise<Map<string, bigint>> {
  const rows = await ofRange(db, query)
    .select(['day', sumAsText.as('bytes')])
    .groupBy('day')
    .execute();
  return new Map(rows.map(({ day, bytes }) => [day, BigInt(bytes)]));
}

/** Largest first. */
export async function bytesByCountry(
  db: Database,
  query: BandwidthQuery,
): Promise<{ country: string; bytes: bigint }[]> {
  const rows = await ofRange(db, query)
    .select(['country', sumAsText.as('bytes')])
    .groupBy('country')
    .execute();
  return rows
    .map(({ country, bytes }) => ({ country, bytes: BigInt(bytes) }))
    .sort((a, b) => (a.bytes === b.bytes ? (a.country < b.country ? -1 : 1) : a.bytes < b.bytes ? 1 : -1));
}

export interface StatsAdmission {
  account: AccountRow;
  /** Seconds to wait, when it is one request too many. */
  retryAfterSeconds: number | undefined;
}

/** Finds the token's account and counts the request, under the account's row lock. Undefined: no such token. */
export function admitStatsRequest(
  db: Database,
  { tokenHash, rate, now }: { tokenHash: string; rate: number; now: number },
): Promise<StatsAdmission | undefined> {
  return db.transaction().execute(async (trx) => {
    const account = await trx
      .updateTable('accounts')
      .set((e) => ({ stats_seq: e('stats_seq', '+', 1) }))
      .where('stats_token_hash', '=', tokenHash)
      .returningAll()
      .executeTakeFirst();
    if (!account) return undefined;
    const seq = account.stats_seq;
    const oldest = await attemptTime(trx, 'stats_attempts', account.id, seq - rate);
    // The next request is decided by the one after that.
    const next = await attemptTime(trx, 'stats_attempts', account.id, seq - rate + 1);
    await recordAttempt(trx, 'stats_attempts', { accountId: account.id, seq, rate, now });
    const tooMany = oldest !== undefined && oldest > now - windowMs;
    const waitMs = tooMany ? Math.max(1, (next ?? now) + windowMs - now) : 0;
    return { account, retryAfterSeconds: tooMany ? Math.ceil(waitMs / 1000) : undefined };
  });
}
