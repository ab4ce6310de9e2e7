import { daysFrom } from '@turnpike/contract/calendar';
import type {
  Device,
  SessionDetail,
  SessionRowView,
  UsageByDay,
} from '@turnpike/contract/dashboard/account-pages';
import { remainingSeconds } from '../accounts/account.ts';
import { usageDays, usageTotals } from '../accounts/account-store.ts';
import { cdpUrl, presentRecord, vncUrl } from '../sessions/present-session.ts';
import type { Database } from '../store/database.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { AccountRow, SessionRow } from '../store/tables.ts';

/** What the gateway wrote about a session beside the caller's own words. */
interface Facts {
  chromiumVersion?: string;
  exitIp?: string;
  exitCountry?: string;
}

const factsOf = (session: SessionRow): Facts => readStoredJson(session.metadata).turnpike ?? {};

export function presentRow(session: SessionRow, now: number): SessionRowView {
  return {
    ...presentRecord(session, now),
    exitCountry: factsOf(session).exitCountry ?? null,
    viewer: session.viewer === 1,
  };
}

/** The URLs of a session that has ended lead nowhere. */
export function presentDetail(session: SessionRow, now: number): SessionDetail {
  const runs = session.state === 'ACTIVE';
  const { exitIp, chromiumVersion } = factsOf(session);
  const { profile } = readStoredJson(session.params) as { profile?: Device };
  return {
    ...presentRow(session, now),
    cdpUrl: runs ? cdpUrl(session) : null,
    vncUrl: (runs && vncUrl(session)) || null,
    device: profile ?? null,
    exitIp: exitIp ?? null,
    host: session.host,
    chromiumVersion: chromiumVersion ?? null,
  };
}

/** Every day of the range, those without a session too. */
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
