import type { AlertMetric } from '@turnpike/contract/dashboard/account-pages';
import type { Generated, Selectable } from 'kysely';

/** What an e-mail is about. Its text is written when it is sent, so the store has no link that works. */
export type MailKind = 'password-reset' | 'usage-alert';

/** An e-mail that is to be sent. The row is deleted when it was sent, or given up. */
export interface MailTable {
  id: string;
  kind: MailKind;
  recipient: string;
  data: string;
  attempts: Generated<number>;
  next_at: number;
  give_up_at: number;
  /** Until when a gateway is sending it. If that gateway dies, others may send it then. */
  claimed_until: Generated<number>;
}
export type MailRow = Selectable<MailTable>;

export interface UsageAlertTable {
  account_id: string;
  metric: AlertMetric;
  /** Percent of the browser hours, or gigabytes in a month. */
  threshold: number;
}
