import type { UsageAlerts, UsageAlertsView } from '@turnpike/contract/dashboard/account-pages';
import type { Database } from '../store/database.ts';
import { type AlertRule, listAlerts, recipientsOf, replaceAlerts } from './alert-store.ts';

/** An account's own alerts, for its pages. */

export async function readAlerts(
  db: Database,
  accountId: string,
  isAvailable: boolean,
): Promise<UsageAlertsView> {
  const [rules, recipients] = await Promise.all([listAlerts(db, accountId), recipientsOf(db, accountId)]);
  const bandwidth = rules.find(({ metric }) => metric === 'bandwidth');
  return {
    available: isAvailable,
    recipients,
    hoursPercent: rules.flatMap(({ metric, threshold }) => (metric === 'hours' ? [threshold] : [])),
    bandwidthGigabytes: bandwidth?.threshold ?? null,
  };
}

export async function saveAlerts(
  db: Database,
  accountId: string,
  { hoursPercent, bandwidthGigabytes }: UsageAlerts,
): Promise<void> {
  const rules: AlertRule[] = [...new Set(hoursPercent)].map((threshold) => ({ metric: 'hours', threshold }));
  if (bandwidthGigabytes !== null) rules.push({ metric: 'bandwidth', threshold: bandwidthGigabytes });
  await replaceAlerts(db, accountId, rules);
}
