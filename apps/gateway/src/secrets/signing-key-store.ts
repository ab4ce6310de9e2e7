import type { Selectable } from 'kysely';
import type { Database } from '../store/database.ts';
import type { SigningKeyTable } from '../store/tables.ts';

export type SigningKeyRow = Selectable<SigningKeyTable>;
export type NewSigningKey = Pick<SigningKeyRow, 'id' | 'public_key' | 'private_key_sealed' | 'created_at'>;

export function findCurrentKey(db: Database): Promise<SigningKeyRow | undefined> {
  return db.selectFrom('signing_keys').selectAll().where('current', '=', 1).executeTakeFirst();
}

/** Lists all keys, the oldest first. */
export function listSigningKeys(db: Database): Promise<SigningKeyRow[]> {
  return db.selectFrom('signing_keys').selectAll().orderBy('created_at').orderBy('id').execute();
}

/** Adds the current key unless there is one. Several gateways may do so at once; the first wins. */
export async function addFirstKey(db: Database, key: NewSigningKey): Promise<void> {
  await db
    .insertInto('signing_keys')
    .values({ ...key, retired_at: null, current: 1 })
    .onConflict((conflict) => conflict.column('current').doNothing())
    .execute();
}

/** Retires the current key and makes another one current. */
export async function replaceCurrentKey(db: Database, key: NewSigningKey): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('signing_keys')
      .set({ current: null, retired_at: key.created_at })
      .where('current', '=', 1)
      .execute();
    await trx
      .insertInto('signing_keys')
      .values({ ...key, retired_at: null, current: 1 })
      .execute();
  });
}
