import type { AlertMetric } from '@turnpike/contract/dashboard/account-pages';
import { sql, type Transaction } from 'kysely';
import type { Database } from '../store/database.ts';
import type { Tables } from '../store/tables.ts';

export interface AlertRule {
  metric: AlertMetric;
  /** Percent of the browser hours, or gigabytes in a month. */
  threshold: number;
}

/** A threshold that an account has passed in a period, and is not told of yet. */
export interface PassedAlert extends AlertRule {
  accountId: string;
  /** Seconds, or bytes. */
  used: number;
  /** For hours: the cap, because a new cap is a new measure. For bandwidth: the month, as 202611. */
  period: number;
}

export async function listAlerts(db: Database, accountId: string): Promise<AlertRule[]> {
  return db
    .selectFrom('usage_alerts')
    .select(['metric', 'threshold'])
    .where('account_id', '=', accountId)
    .orderBy('metric')
    .orderBy('threshold')
    .execute();
}

export function replaceAlerts(db: Database, accountId: string, rules: readonly AlertRule[]): Promise<void> {
  return db.transaction().execute(async (trx) => {
    await trx.deleteFrom('usage_alerts').where('account_id', '=', accountId).execute();
    if (rules.length === 0) return;
    await trx
      .insertInto('usage_alerts')
      .values(rules.map((rule) => ({ account_id: accountId, ...rule })))
      // Two browsers may save at once.
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}

/** Takes the check that is due. Of any number of gateways one gets it. */
export async function takeCheck(db: Database, now: number, nextAt: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('usage_alert_checks')
    .set({ next_at: nextAt })
    .where('id', '=', 1)
    .where('next_at', '<=', now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Accounts at a time; the others have their turn at the next check. */
const passedAtATime = 500;

export async function passedHours(db: Database): Promise<PassedAlert[]> {
  const { rows } = await sql<{ accountId: string; threshold: number; used: number; period: number }>`
    select r.account_id as "accountId", r.threshold, a.browser_seconds as used, a.browser_seconds_cap as period
    from usage_alerts as r join accounts as a on a.id = r.account_id
    where r.metric = 'hours' and a.status = 'active' and a.browser_seconds_cap > 0
      and a.browser_seconds * 100 >= r.threshold * a.browser_seconds_cap
      and ${notSent(sql`a.browser_seconds_cap`)}
    order by r.account_id limit ${sql.lit(passedAtATime)}
  `.execute(db);
  return rows.map((row) => ({ metric: 'hours', ...row }));
}

/** Sums as fractions: exact ones may exceed what SQLite can add. */
export async function passedBandwidth(db: Database, month: number, firstDay: string): Promise<PassedAlert[]> {
  const { rows } = await sql<{ accountId: string; threshold: number; used: number }>`
    select r.account_id as "accountId", r.threshold, sum(b.bytes * 1.0) as used
    from usage_alerts as r
    join accounts as a on a.id = r.account_id
    join bandwidth_days as b on b.account_id = r.account_id and b.day >= ${firstDay}
    where r.metric = 'bandwidth' and a.status = 'active' and ${notSent(sql`cast(${month} as bigint)`)}
    group by r.account_id, r.threshold
    having sum(b.bytes * 1.0) >= r.threshold * 1000000000.0
    order by r.account_id limit ${sql.lit(passedAtATime)}
  `.execute(db);
  return rows.map(({ used, ...row }) => ({ metric: 'bandwidth', used: Number(used), period: month, ...row }));
}

const notSent = (period: ReturnType<typeof sql>) => sql`not exists (
  select 1 from usage_alerts_sent as s
  where s.account_id = r.account_id and s.metric = r.metric and s.threshold = r.threshold and s.period = ${period}
)`;

/** Notes that an account is told of these. Returns the thresholds that nobody has noted before. */
export async function noteSent(
  trx: Transaction<Tables>,
  passed: readonly PassedAlert[],
  now: number,
): Promise<number[]> {
  const rows = await trx
    .insertInto('usage_alerts_sent')
    .values(
      passed.map(({ accountId, metric, threshold, period }) => ({
        account_id: accountId,
        metric,
        threshold,
        period,
        at: now,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('threshold')
    .execute();
  return rows.map(({ threshold }) => threshold);
}

/** Lists the e-mail addresses of an account's users. */
export async function recipientsOf(db: Database, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .select('email')
    .where('account_id', '=', accountId)
    .orderBy('email')
    .execute();
  return rows.map(({ email }) => email);
}
