import type { MeterKey, Product } from '@turnpike/contract/bandwidth';
import { type RawBuilder, sql, type Transaction } from 'kysely';
import { attemptTime, recordAttempt, windowMs } from '../limits/rate-window-store.ts';
import type { CountedBytes } from '../seams/count-bytes.ts';
import type { Database } from '../store/database.ts';
import { jsonRows } from '../store/json-rows.ts';
import type { AccountRow, Tables } from '../store/tables.ts';

export const meterKeyOf = ({ accountId, product, day, country }: MeterKey): string =>
  `${accountId}\n${product}\n${day}\n${country}`;

/** Sums counts by key, in the order of the table's key, in which every writer takes its locks. */
export function sumByKey(counts: Iterable<CountedBytes>): CountedBytes[] {
  const sums = new Map<string, CountedBytes>();
  for (const count of counts) {
    const key = meterKeyOf(count);
    const sum = sums.get(key);
    if (sum) sum.bytes += count.bytes;
    else sums.set(key, { ...count });
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

/** The largest sum that a row accepts. */
export const maxRowBytes = 2n ** 63n - 2n;
const atMost = (bytes: bigint): bigint => (bytes < maxRowBytes ? bytes : maxRowBytes);

/**
 * Adds bytes to the daily sums, which all statistics are read from. A sum that is too large for its row stays at the
 * maximum, so that the rest of the report counts. Ingestion refuses such records before.
 */
export async function addBytes(trx: Transaction<Tables>, counts: readonly CountedBytes[]): Promise<void> {
  const sums = sumByKey(counts).filter(({ bytes }) => bytes > 0n);
  if (sums.length === 0) return;
  const rows = sums.map(({ accountId, product, day, country, bytes }) => [
    accountId,
    product,
    day,
    country,
    `${atMost(bytes)}`,
  ]);
  await sql`
    insert into bandwidth_days (account_id, product, day, country, bytes)
    select c0, c1, c2, c3, cast(c4 as bigint) from ${jsonRows(trx, rows, 5)} where true
    on conflict (account_id, product, day, country) do update set bytes =
      case when bandwidth_days.bytes > ${sql.lit(maxRowBytes)} - excluded.bytes then ${sql.lit(maxRowBytes)}
        else bandwidth_days.bytes + excluded.bytes end
  `.execute(trx);
}

/** Returns those counts, in their order, whose sums a row could not hold. */
export async function overflowing<Count extends CountedBytes>(
  trx: Transaction<Tables>,
  counts: readonly Count[],
): Promise<Set<Count>> {
  const sums = sumByKey(counts);
  if (sums.length === 0) return new Set();
  const keys = sums.map(({ accountId, product, day, country }) => [accountId, product, day, country]);
  const { rows } = await sql<MeterKey & { bytes: string }>`
    select account_id as "accountId", product, day, country, cast(bytes as text) as bytes
    from ${jsonRows(trx, keys, 4)}
    join bandwidth_days on account_id = c0 and product = c1 and day = c2 and country = c3
  `.execute(trx);
  const totals = new Map(rows.map((row) => [meterKeyOf(row), BigInt(row.bytes)]));
  const refused = new Set<Count>();
  for (const count of counts) {
    const total = (totals.get(meterKeyOf(count)) ?? 0n) + count.bytes;
    if (total > maxRowBytes) refused.add(count);
    else totals.set(meterKeyOf(count), total);
  }
  return refused;
}

/** Stores the ids of records, and returns which of them are new. */
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

/** Forgets the ids of records that were claimed and then refused, so that they count as new when sent again. */
export async function releaseRecordIds(trx: Transaction<Tables>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = ids.map((id) => [id]);
  await sql`delete from usage_record_ids where id in (select c0 from ${jsonRows(trx, rows, 1)})`.execute(trx);
}

/** Reads byte counts as text: numbers would lose digits past 2^53. */
export const bytesAsText = (column: string): RawBuilder<string> =>
  sql<string>`cast(${sql.ref(column)} as text)`;

/** Sums in two parts, for a whole sum may exceed what SQLite can add. */
const unit = 10n ** 9n;
const sumColumns = [
  sql<string>`cast(coalesce(sum(bytes / ${sql.lit(unit)}), 0) as text)`.as('units'),
  sql<string>`cast(coalesce(sum(bytes % ${sql.lit(unit)}), 0) as text)`.as('rest'),
] as const;
const sumOf = ({ units, rest }: { units: string; rest: string }): bigint =>
  BigInt(units) * unit + BigInt(rest);

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
    .select(['day', ...sumColumns])
    .groupBy('day')
    .execute();
  return new Map(rows.map((row) => [row.day, sumOf(row)]));
}

/** Largest first. */
export async function bytesByCountry(
  db: Database,
  query: BandwidthQuery,
): Promise<{ country: string; bytes: bigint }[]> {
  const rows = await ofRange(db, query)
    .select(['country', ...sumColumns])
    .groupBy('country')
    .execute();
  return rows
    .map((row) => ({ country: row.country, bytes: sumOf(row) }))
    .sort((a, b) => (a.bytes === b.bytes ? (a.country < b.country ? -1 : 1) : a.bytes < b.bytes ? 1 : -1));
}

export interface StatsAdmission {
  account: AccountRow;
  /** Seconds to wait, if it is one request too many. */
  retryAfterSeconds: number | undefined;
}

/** Finds the account of a token and counts the request, under the account's row lock. Undefined means no such token. */
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
    // The time of this one decides about the next request.
    const next = await attemptTime(trx, 'stats_attempts', account.id, seq - rate + 1);
    await recordAttempt(trx, 'stats_attempts', { accountId: account.id, seq, rate, now });
    const tooMany = oldest !== undefined && oldest > now - windowMs;
    const waitMs = tooMany ? Math.max(1, (next ?? now) + windowMs - now) : 0;
    return { account, retryAfterSeconds: tooMany ? Math.ceil(waitMs / 1000) : undefined };
  });
}
