import type { Transaction } from 'kysely';
import type { Tables } from '../store/tables.ts';

/** Locks an account's row until the end of the transaction. Creates are admitted under this lock. */
export async function lockAccount(trx: Transaction<Tables>, id: string): Promise<void> {
  await trx
    .updateTable('accounts')
    .set((e) => ({ create_seq: e.ref('create_seq') }))
    .where('id', '=', id)
    .execute();
}
