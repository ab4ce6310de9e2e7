import { daysFrom, parseRange, utcDay, windowStart } from '@turnpike/contract/calendar';
import { shownDestinations, type TrafficByDay } from '@turnpike/contract/dashboard/account-pages';
import type { AccountTraffic } from '@turnpike/contract/traffic-answers';
import { badRequest } from '../http/api-error.ts';
import { largestDestinations, trafficDays } from '../ledger/traffic-store.ts';
import type { Context } from '../seams/context.ts';
import { defaultLimit, maxLimit } from './traffic-api.ts';

const windowDays = 30;
/** Destinations in one answer, of all days together. */
const maxInAnswer = 36_600;

/** Reads an account's days with the `from`, `to` and `limit` of a query. */
export async function readAccountTraffic(
  { db, now }: Pick<Context, 'db' | 'now'>,
  accountId: string,
  query: unknown,
): Promise<AccountTraffic> {
  const { from, to, limit } = parseTrafficQuery(query, now());
  return { from, to, days: await trafficDays(db, { accountId, from, to, limit }) };
}

/** Reads every day of a range, also days without traffic, and the largest destinations of them all. */
export async function readTrafficByDay(
  { db, now }: Pick<Context, 'db' | 'now'>,
  accountId: string,
  query: { from?: unknown; to?: unknown },
): Promise<TrafficByDay> {
  const { from, to, days } = parseDays(query, now());
  const range = { accountId, from, to };
  const [used, largest] = await Promise.all([
    trafficDays(db, { ...range, limit: 1 }),
    largestDestinations(db, { ...range, limit: shownDestinations }),
  ]);
  const byDay = new Map(used.map((day) => [day.date, day]));
  return {
    from,
    to,
    days: daysFrom(from, days).map((date) => {
      const { bytesUp = 0, bytesDown = 0 } = byDay.get(date) ?? {};
      return { date, bytesUp, bytesDown };
    }),
    ...largest,
  };
}

function parseDays({ from, to }: { from?: unknown; to?: unknown }, now: number) {
  const range = parseRange(from ?? windowStart(now, windowDays), to, utcDay(now));
  if (!range.ok) throw badRequest(range.rule);
  return range;
}

function parseTrafficQuery(query: unknown, now: number): { from: string; to: string; limit: number } {
  const { limit = String(defaultLimit), ...days } = query as Record<string, unknown>;
  const range = parseDays(days, now);
  const count = Number(limit);
  if (typeof limit !== 'string' || !/^\d{1,4}$/.test(limit) || count < 1 || count > maxLimit) {
    throw badRequest(`limit must be an integer from 1 to ${maxLimit}`);
  }
  if (range.days * count > maxInAnswer) {
    const rule = `limit must be at most ${Math.floor(maxInAnswer / range.days)} for ${range.days} days`;
    throw badRequest(`${rule}. Ask for fewer days, or a smaller limit`);
  }
  return { from: range.from, to: range.to, limit: count };
}
