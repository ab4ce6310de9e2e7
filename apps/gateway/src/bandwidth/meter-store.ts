import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { MeterCounter, MeterKey, MeterReport } from '@turnpike/contract/bandwidth';
import { utcDay } from '@turnpike/contract/calendar';
import { sql, type Transaction } from 'kysely';
import type { Database } from '../store/database.ts';
import { jsonRows } from '../store/json-rows.ts';
import type { Tables } from '../store/tables.ts';
import { addBytes, bytesAsText, maxRowBytes, meterKeyOf, sumByKey } from './bandwidth-store.ts';

const dayMs = 86_400_000;
/**
 * How long a counter is stored after its source moved on to later days, or was last heard of. A meter stops reporting a
 * day once its last report is acknowledged; this covers acknowledgements that were lost.
 */
const keptMs = 7 * dayMs;

/** A counter that is refused, and why. The others of its report count. */
export interface RefusedCounter {
  counter: MeterCounter;
  reason: string;
}

/**
 * Adds what is new in a source's cumulative counters. The first statement locks the source, so its reports are handled
 * one after the other, and a report sent twice adds nothing.
 */
export function applyMeterReport(
  db: Database,
  { source, counters }: MeterReport,
  now: number,
): Promise<RefusedCounter[]> {
  return db.transaction().execute(async (trx) => {
    await trx
      .insertInto('meter_sources')
      .values({ source, reported_at: now })
      .onConflict((conflict) => conflict.column('source').doUpdateSet({ reported_at: now }))
      .execute();
    const { accepted, refused } = await checkCounters(trx, counters);
    const known = await knownCounters(trx, source, accepted);
    const added = sumByKey(accepted)
      .map((counter) => ({ ...counter, bytes: counter.bytes - (known.get(meterKeyOf(counter)) ?? 0n) }))
      .filter(({ bytes }) => bytes > 0n);
    if (added.length === 0) return refused;
    await addBytes(trx, added);
    const rows = added.map(({ accountId, product, day, country, bytes }) => [
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
    return refused;
  });
}

/** Refuses counters that no row can hold, and counters of unknown accounts (after a restore). */
async function checkCounters(
  trx: Transaction<Tables>,
  counters: readonly MeterCounter[],
): Promise<{ accepted: MeterCounter[]; refused: RefusedCounter[] }> {
  const ids = [...new Set(counters.map(({ accountId }) => accountId))].map((id) => [id]);
  const { rows } = await sql<{ id: string }>`
    select id from accounts where id in (select c0 from ${jsonRows(trx, ids, 1)})
  `.execute(trx);
  const accounts = new Set(rows.map(({ id }) => id));
  const accepted: MeterCounter[] = [];
  const refused: RefusedCounter[] = [];
  for (const counter of counters) {
    if (!accounts.has(counter.accountId)) refused.push({ counter, reason: 'there is no such account' });
    else if (counter.bytes > maxRowBytes)
      refused.push({ counter, reason: `the counter is above ${maxRowBytes}` });
    else accepted.push(counter);
  }
  return { accepted, refused };
}

/** Reads the stored counters that the report is about. */
async function knownCounters(
  trx: Transaction<Tables>,
  source: string,
  counters: readonly MeterKey[],
): Promise<Map<string, bigint>> {
  const keys = counters.map(({ accountId, product, day, country }) => [accountId, product, day, country]);
  const { rows } = await sql<MeterKey & { bytes: string }>`
    select account_id as "accountId", product, day, country, ${bytesAsText('bytes')} as bytes
    from ${jsonRows(trx, keys, 4)}
    join meter_counters on source = ${source} and account_id = c0 and product = c1 and day = c2 and country = c3
  `.execute(trx);
  return new Map(rows.map((row) => [meterKeyOf(row), BigInt(row.bytes)]));
}

/**
 * Finds the oldest day to keep, by the source's own days and not our clock, so that what it still reports is never
 * deleted.
 */
async function oldestNeeded(db: Database, source: string): Promise<string> {
  const { day } = await db
    .selectFrom('meter_counters')
    .select((e) => e.fn.max('day').as('day'))
    .where('source', '=', source)
    .executeTakeFirstOrThrow();
  return day === null ? '' : utcDay(Date.parse(day) - keptMs);
}

/** Deletes counters that nobody will report again, source by source, and sources that are gone. */
export async function pruneMeterCounters(db: Database, now: number): Promise<void> {
  const before = now - keptMs;
  const sources = await db.selectFrom('meter_sources').select(['source', 'reported_at']).execute();
  for (const { source, reported_at } of sources) {
    const isGone = reported_at < before;
    let counters = db.deleteFrom('meter_counters').where('source', '=', source);
    if (!isGone) counters = counters.where('day', '<', await oldestNeeded(db, source));
    await counters.execute();
    if (isGone) {
      await db
        .deleteFrom('meter_sources')
        .where('source', '=', source)
        .where('reported_at', '<', before)
        .execute();
    }
    await yieldToEventLoop();
  }
}
