import { Poll } from '@turnpike/process/poll';
import { queueMail } from '../mail/mail-store.ts';
import type { Context } from '../seams/context.ts';
import type { AlertMail } from './alert-mail.ts';
import {
  noteSent,
  type PassedAlert,
  passedBandwidth,
  passedHours,
  recipientsOf,
  takeCheck,
} from './alert-store.ts';

const pollMs = 5000;
const checkEveryMs = 60_000;
const dayMs = 86_400_000;

/** Compares usage with the alerts of accounts every minute, on one of the gateways, and queues e-mails. */
export const startAlertChecks = (context: Context): Poll =>
  new Poll(
    pollMs,
    async () => {
      const { db, now } = context;
      if (await takeCheck(db, now(), now() + checkEveryMs)) await checkUsageAlerts(context);
    },
    (error) => context.logger.warn({ err: error }, 'could not check usage alerts; will retry'),
  );

/** Queues an e-mail for every threshold that was passed. May run on any number of gateways at once. */
export async function checkUsageAlerts(context: Context): Promise<void> {
  const { db, logger, metrics, now } = context;
  const today = new Date(now());
  const month = today.getUTCFullYear() * 100 + today.getUTCMonth() + 1;
  const firstDay = `${today.toISOString().slice(0, 7)}-01`;
  const passed = [...(await passedHours(db)), ...(await passedBandwidth(db, month, firstDay))];
  const groups = Map.groupBy(passed, ({ accountId, metric }) => `${accountId} ${metric}`);
  for (const group of groups.values()) {
    try {
      await alertAccount(context, group);
    } catch (error) {
      metrics.itemFailed('mail');
      logger.warn(
        { err: error, accountId: group[0]?.accountId },
        'could not queue a usage alert; will retry',
      );
    }
  }
}

/**
 * Queues one e-mail for the highest threshold that an account has passed, in the transaction that notes all of them. One
 * statement decides who notes a threshold, so each is told once in a period.
 */
async function alertAccount({ db, now }: Context, passed: readonly PassedAlert[]): Promise<void> {
  const [highest] = passed.toSorted((a, b) => b.threshold - a.threshold);
  if (!highest) return;
  await db.transaction().execute(async (trx) => {
    const noted = await noteSent(trx, passed, now());
    if (!noted.includes(highest.threshold)) return;
    const { accountId, metric, threshold, used, period } = highest;
    const data: AlertMail = { metric, threshold, used, period };
    for (const recipient of await recipientsOf(trx, accountId)) {
      const mail = { kind: 'usage-alert', recipient, data, now: now(), giveUpAt: now() + dayMs } as const;
      if (!(await queueMail(trx, mail))) throw new Error('Too many e-mails are waiting to be sent.');
    }
  });
}
