import type { Database } from '../store/database.ts';
import type { ModelEndpointRow } from '../store/tables.ts';

export function findModel(db: Database, accountId: string): Promise<ModelEndpointRow | undefined> {
  return db.selectFrom('model_endpoints').selectAll().where('id', '=', accountId).executeTakeFirst();
}

/** Inserts or replaces the account's endpoint. */
export async function putModel(db: Database, row: ModelEndpointRow): Promise<void> {
  await db
    .insertInto('model_endpoints')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
}

/** False: there was none. */
export async function deleteModel(db: Database, accountId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('model_endpoints')
    .where('id', '=', accountId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
