import type { MeterBackend } from '@turnpike/contract/bandwidth';
import { sql } from 'kysely';
import { hashSecret } from '../accounts/secrets.ts';
import type { Database } from '../store/database.ts';
import { jsonRows } from '../store/json-rows.ts';
import { applyMeterReport } from './bandwidth-store.ts';

/** What the metered proxy needs of the store: who is asking, and where to report. */
export function storeMeterBackend(db: Database, now: () => number = Date.now): MeterBackend {
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
    report: (report) => applyMeterReport(db, report, now()),
    now,
  };
}
