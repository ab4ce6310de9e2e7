import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/audit-store.ts';
import { hashSecret } from '../secrets/hash-secret.ts';
import { newApiKey } from '../secrets/new-ids.ts';
import type { Database } from '../store/database.ts';
import type { AccountRow } from '../store/tables.ts';
import { replaceKeyHash } from './account-store.ts';

/** Replaces the key that the request came with. Returns undefined if it was replaced before. */
export function regenerateKey(db: Database, account: AccountRow, by: Actor): Promise<string | undefined> {
  const apiKey = newApiKey();
  return db.transaction().execute(async (trx) => {
    if (!(await replaceKeyHash(trx, account.key_hash, hashSecret(apiKey)))) return undefined;
    await recordAudit(trx, { by, action: 'key.rotate', target: account.email });
    return apiKey;
  });
}
