import { isProduct, type Product, type Unit, unitDigits } from '@turnpike/contract/bandwidth';
import { daysFrom, parseRange, utcDay, windowStart } from '@turnpike/contract/calendar';
import { ApiError } from '../http/api-error.ts';
import type { Database } from '../store/database.ts';
import { type ExactNumber, exactNumber } from '../store/exact-json.ts';
import { type BandwidthQuery, bytesByCountry, bytesByDay } from './bandwidth-store.ts';
import { inUnit } from './decimal.ts';

/** Reads the statistics of interface B. Values have all their digits, see `exact`. */

const summaryDays = 30;
const summaryUnit = 'Gb' as const satisfies Unit;
const units = Object.keys(unitDigits) as Unit[];

export interface SeriesQuery extends BandwidthQuery {
  unit: Unit;
  days: number;
}

/** Parses `from`, `to` and `unit` of a query. */
export function parseSeriesQuery(
  accountId: string,
  product: Product,
  { from, to, unit = 'Gb' }: Record<string, unknown>,
  now: number,
): SeriesQuery {
  const range = parseRange(from, to, utcDay(now));
  if (!range.ok) throw new ApiError('badRequest', { message: range.rule });
  const known = units.find((candidate) => candidate === unit);
  if (!known) throw new ApiError('badRequest', { message: `unit must be one of ${units.join(', ')}` });
  return { accountId, product, unit: known, from: range.from, to: range.to, days: range.days };
}

export function parseProduct(text: string): Product {
  if (!isProduct(text)) throw new ApiError('notFound', { message: 'Unknown product' });
  return text;
}

export function requireCountries(product: Product): void {
  if (product !== 'residential') {
    throw new ApiError('notFound', { message: `There are no countries for ${product}` });
  }
}

export async function readSummary(
  db: Database,
  { accountId, product }: { accountId: string; product: Product },
  now: number,
) {
  const [from, to] = [windowStart(now, summaryDays), utcDay(now)];
  const days = await bytesByDay(db, { accountId, product, from, to });
  const total = [...days.values()].reduce((sum, bytes) => sum + bytes, 0n);
  return {
    product,
    unit: summaryUnit,
    from,
    to,
    window_days: summaryDays,
    total_value: exact(total, summaryUnit),
    today_value: exact(days.get(to) ?? 0n, summaryUnit),
  };
}

export async function readSeries(db: Database, query: SeriesQuery) {
  const { product, unit, from, to } = query;
  const series = (await readDays(db, query)).map(([day, bytes]) => ({
    traffic_date: day,
    total_value: exact(bytes, unit),
  }));
  return { product, unit, from, to, series };
}

export async function readCsv(db: Database, query: SeriesQuery): Promise<{ name: string; text: string }> {
  const rows = (await readDays(db, query)).map(([day, bytes]) => `${day},${inUnit(bytes, query.unit)}\n`);
  return {
    name: `${query.product}-${query.from}-${query.to}-${query.unit}.csv`,
    text: `traffic_date,total_value\n${rows.join('')}`,
  };
}

export async function readCountries(db: Database, query: SeriesQuery) {
  const { product, unit, from, to } = query;
  const countries = (await bytesByCountry(db, query)).map(({ country, bytes }) => ({
    country,
    total_value: exact(bytes, unit),
  }));
  return { product, unit, from, to, countries };
}

/** Reads an element for every day, zeros included. */
async function readDays(db: Database, query: SeriesQuery): Promise<[string, bigint][]> {
  const counted = await bytesByDay(db, query);
  return daysFrom(query.from, query.days).map((day) => [day, counted.get(day) ?? 0n]);
}

/** Makes a number with all its digits, which a JavaScript number may not hold; for `JSON.stringify` only. */
function exact(bytes: bigint, unit: Unit): ExactNumber {
  return exactNumber(inUnit(bytes, unit));
}
