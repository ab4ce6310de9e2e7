import { daysFrom, parseRange, utcDay, windowStart } from '@turnpike/contract/calendar';
import { savedNamePattern } from '@turnpike/contract/ids';
import { maxUsageDays, type ProxyDay } from '@turnpike/contract/proxies';
import { ApiError, badRequest } from '../http/api-error.ts';
import { findProxyOrPool, proxyDays } from '../ledger/proxy-day-store.ts';
import type { Context } from '../seams/context.ts';

const windowDays = 30;

const unused = (date: string): ProxyDay => ({
  date,
  sessions: 0,
  connections: 0,
  failures: 0,
  firstByteMs: null,
  exitChanges: 0,
  bytesUp: 0,
  bytesDown: 0,
  cost: 0,
});

/** Reads every day of a range of a saved proxy or a pool, also days without a session. */
export async function readProxyUsage(
  { db, now }: Pick<Context, 'db' | 'now'>,
  accountId: string,
  { kind, name }: { kind: 'proxy' | 'pool'; name: string },
  { from = windowStart(now(), windowDays), to }: { from?: unknown; to?: unknown },
): Promise<ProxyDay[]> {
  const range = parseRange(from, to, utcDay(now()));
  if (!range.ok) throw badRequest(range.rule);
  if (range.days > maxUsageDays) throw badRequest(`Range too large: max ${maxUsageDays} days`);
  const table = kind === 'proxy' ? 'saved_proxies' : 'proxy_pools';
  const id = savedNamePattern.test(name) ? await findProxyOrPool(db, table, accountId, name) : undefined;
  if (id === undefined) throw new ApiError('notFound');
  const of = kind === 'proxy' ? { proxyId: id } : { poolId: id };
  const used = await proxyDays(db, { accountId, from: range.from, to: range.to, ...of });
  const byDay = new Map(used.map((day) => [day.date, day]));
  return daysFrom(range.from, range.days).map((date) => byDay.get(date) ?? unused(date));
}
