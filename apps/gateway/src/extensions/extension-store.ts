import { maxExtensions } from '@turnpike/contract/extension';
import { lockAccount } from '../limits/account-lock-store.ts';
import type { Database } from '../store/database.ts';
import type { ExtensionRow } from '../store/tables.ts';

/** An extension without its archive. */
export type ListedExtension = Omit<ExtensionRow, 'sealed'>;

const listed = [
  ...(['account_id', 'id', 'name', 'version', 'id_source', 'checksum'] as const),
  ...(['public_key', 'bytes', 'created_at'] as const),
] as const;

/** Inserts an extension, or replaces the one with the same id. False: the account has too many others. */
export function putExtension(db: Database, row: ExtensionRow): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    await lockAccount(trx, row.account_id);
    const others = await trx
      .selectFrom('extensions')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('account_id', '=', row.account_id)
      .where('id', '!=', row.id)
      .executeTakeFirstOrThrow();
    if (others.count >= maxExtensions) return false;
    await trx
      .insertInto('extensions')
      .values(row)
      .onConflict((conflict) => conflict.columns(['account_id', 'id']).doUpdateSet(row))
      .execute();
    return true;
  });
}

export function listExtensions(db: Database, accountId: string): Promise<ListedExtension[]> {
  return db
    .selectFrom('extensions')
    .select(listed)
    .where('account_id', '=', accountId)
    .orderBy('name')
    .orderBy('id')
    .execute();
}

export function findExtension(
  db: Database,
  accountId: string,
  id: string,
): Promise<ListedExtension | undefined> {
  return db
    .selectFrom('extensions')
    .select(listed)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The extension with its archive: both of the same version, should it be replaced meanwhile. */
export function findWhole(db: Database, accountId: string, id: string): Promise<ExtensionRow | undefined> {
  return db
    .selectFrom('extensions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** False: there is no such extension. */
export async function deleteExtension(db: Database, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('extensions')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
