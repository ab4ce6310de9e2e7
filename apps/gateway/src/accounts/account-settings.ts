import type { AccountSettings } from '@turnpike/contract/account';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/audit-store.ts';
import type { Database } from '../store/database.ts';
import type { AccountRow } from '../store/tables.ts';
import { updateAccount } from './account-store.ts';

export const presentSettings = ({ page_calls }: Pick<AccountRow, 'page_calls'>): AccountSettings => ({
  pageCalls: page_calls === 1,
});

/** Stores an account's own settings. They count from the next request on, at every gateway. */
export async function changeSettings(
  db: Database,
  { email }: AccountRow,
  settings: AccountSettings,
  by: Actor,
): Promise<AccountSettings> {
  await db.transaction().execute(async (trx) => {
    await updateAccount(trx, email, { page_calls: settings.pageCalls ? 1 : 0 });
    await recordAudit(trx, { by, action: 'account.settings', target: email, detail: { ...settings } });
  });
  return settings;
}
