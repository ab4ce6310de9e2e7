import { daysFrom } from '@turnpike/contract/calendar';
import type { UsageByDay } from '@turnpike/contract/dashboard/account-pages';
import type { Database } from '../store/database.ts';
import type { AccountRow } from '../store/tables.ts';
import { remainingSeconds } from './account.ts';
import { usageDays, usageTotals } from './account-store.ts';

/** Reads an account's usage for every day of the range, also days without a session. */
export async function usageByDay(
  db: Database,
  account: AccountRow,
  { from, to, days }: { from: string; to: string; days: number },
): Promise<UsageByDay> {
  const [totals, used] = await Promise.all([usageTotals(db, account.id), usageDays(db, account.id, from)]);
  const byDay = new Map(used.map((day) => [day.date, day]));
  const none = { sessions: 0, browserSeconds: 0, bytesUp: 0, bytesDown: 0 };
  return {
    totals: {
      ...totals,
      browserSeconds: account.browser_seconds,
      remainingSeconds: remainingSeconds(account),
    },
    from,
    to,
    days: daysFrom(from, days).map((date) => byDay.get(date) ?? { date, ...none }),
  };
}
