import type { MeterBackend } from '@turnpike/contract/bandwidth';
import { hashSecret } from '../accounts/secrets.ts';
import type { Database } from '../store/database.ts';
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
    report: (report) => applyMeterReport(db, report, now()),
    now,
  };
}
