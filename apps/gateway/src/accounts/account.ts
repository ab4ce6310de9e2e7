import { type AccountLimits, type AccountProfile, type Me, unlimitedCount } from '@turnpike/contract/account';
import { iso } from '../http/iso.ts';
import type { AccountRow } from '../store/tables.ts';

export const defaultLimits = {
  concurrent_limit: 5,
  browser_seconds_cap: 48 * 3600,
  creates_per_minute: 60,
} as const;

export function remainingSeconds(
  account: Pick<AccountRow, 'browser_seconds' | 'browser_seconds_cap'>,
): number {
  const cap = account.browser_seconds_cap;
  return cap === null ? unlimitedCount : Math.max(0, cap - account.browser_seconds);
}

export function accountProfile(account: AccountRow): AccountProfile {
  const { id, email, name, status } = account;
  return { id, email, name, status, createdAt: iso(account.created_at) };
}

export function accountLimits(account: AccountRow): AccountLimits {
  return {
    concurrent: account.concurrent_limit ?? unlimitedCount,
    unlimited: account.concurrent_limit === null,
    createsPerMinute: account.creates_per_minute,
    browserSecondsCap: account.browser_seconds_cap ?? unlimitedCount,
  };
}

export function describeAccount(account: AccountRow, endedSessions: number): Me {
  return {
    account: accountProfile(account),
    limits: accountLimits(account),
    usage: {
      browserSeconds: account.browser_seconds,
      remainingSeconds: remainingSeconds(account),
      sessions: endedSessions,
    },
  };
}
