import type { AuditAction, AuditEntry } from '@turnpike/contract/dashboard/operator-pages';
import { count, hours } from '../parts/values/figures.ts';

/** Label of each action; a missing one does not compile. */
export const actionLabels: Readonly<Record<AuditAction, string>> = {
  'account.create': 'Account created',
  'account.limits': 'Limits changed',
  'account.suspend': 'Account suspended',
  'account.reinstate': 'Account reinstated',
  'account.invitation': 'Account invited',
  'account.reset': 'Password reset link created',
  'account.settings': 'Settings changed',
  'key.rotate': 'API key rotated',
  'stats-token.rotate': 'Statistics token rotated',
  'proxy-password.rotate': 'Proxy password rotated',
  'password.reset': 'Password reset requested',
  'password.set': 'Password set',
  'operator.invitation': 'Operator invited',
  'operator.remove': 'Operator removed',
  'operator-token.create': 'Operator token created',
  'operator-token.revoke': 'Operator token revoked',
  'host.drain': 'Host drained',
  'host.undrain': 'Host undrained',
  'host.remove': 'Host removed',
  'session.close': 'Session closed',
  'session.pause': 'Clients paused',
  'session.resume': 'Clients resumed',
};

const passwordSources: Readonly<Record<string, string>> = {
  invitation: 'with an invitation link',
  reset: 'with a reset link',
  password: 'with the current password',
};

const limit = (value: unknown, text: (value: number) => string): string =>
  typeof value === 'number' ? text(value) : 'no limit';

/** How each detail is written; undefined means not worth a word. */
const details: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  name: (value) => (value ? `Name: ${value}` : undefined),
  concurrent_limit: (value) => `Concurrent browsers: ${limit(value, count)}`,
  browser_seconds_cap: (value) => `Browser hours: ${limit(value, hours)}`,
  creates_per_minute: (value) => `Creates per minute: ${limit(value, count)}`,
  pageCalls: (value) => `Page calls: ${value === true ? 'on' : 'off'}`,
  by: (value) => passwordSources[String(value)] ?? String(value),
  force: (value) => (value === true ? 'forced' : undefined),
};

/** The details of an entry as one line; empty where there are none. */
export function detailText(detail: AuditEntry['detail']): string {
  return Object.entries(detail)
    .map(([name, value]) => {
      const write = details[name];
      return write ? write(value) : `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
    })
    .filter((text) => text !== undefined)
    .join(', ');
}

/** The page of what an entry is about, where there is one. */
export function targetPage({ action, target }: Pick<AuditEntry, 'action' | 'target'>): string | undefined {
  if (action.startsWith('session.')) return `/sessions/${encodeURIComponent(target)}`;
  if (action.startsWith('host.')) return '/hosts';
  if (action.startsWith('operator-token.')) return '/tokens';
  if (action.startsWith('operator.')) return '/operators';
  if (action === 'password.set') return undefined;
  return `/accounts?text=${encodeURIComponent(target)}`;
}
