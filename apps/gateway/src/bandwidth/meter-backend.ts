import type { MeterBackend, MeterReport } from '@turnpike/contract/bandwidth';
import { steadyNow } from '@turnpike/process/steady-clock';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { hashSecret } from '../secrets/hash-secret.ts';
import type { Database } from '../store/database.ts';
import { jsonRows } from '../store/json-rows.ts';
import { applyMeterReport, pruneMeterCounters } from './meter-store.ts';

const pruneEveryMs = 3_600_000;

export interface MeterBackendOptions {
  now?: () => number;
  /** Logs counters that are refused. */
  logger?: Logger | undefined;
}

/** The metered proxy's side of the store: who is calling, and where to report. */
export function storeMeterBackend(
  db: Database,
  { now = steadyNow, logger }: MeterBackendOptions = {},
): MeterBackend {
  let prunedAt = 0;

  async function report({ source, counters }: MeterReport): Promise<void> {
    const at = now();
    for (const { counter, reason } of await applyMeterReport(db, { source, counters }, at)) {
      const { accountId, product, day, country } = counter;
      logger?.warn({ source, accountId, product, day, country, reason }, 'refused a counter of a meter');
    }
    if (at - prunedAt < pruneEveryMs) return;
    prunedAt = at;
    await pruneMeterCounters(db, at);
  }

  return {
    async authenticate(user, password) {
      const account = await db
        .selectFrom('accounts')
        .select(['id', 'status'])
        .where('proxy_user', '=', user)
        .where('proxy_password_hash', '=', hashSecret(password))
        .executeTakeFirst();
      return account?.status === 'active' ? { accountId: account.id } : undefined;
    },
    async refused(accountIds) {
      const rows = accountIds.map((id) => [id]);
      const { rows: active } = await sql<{ id: string }>`
        select id from accounts where status = 'active' and id in (select c0 from ${jsonRows(db, rows, 1)})
      `.execute(db);
      const ids = new Set(active.map(({ id }) => id));
      return accountIds.filter((id) => !ids.has(id));
    },
    report,
    now,
  };
}
