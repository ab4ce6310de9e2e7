import type { Transaction } from 'kysely';
import type { Tables } from '../store/tables.ts';

/** Takes the lock under which an account's creates are admitted, to the end of the transaction. */
export async function lockAccount(trx: Transaction<Tables>, id: string): Promise<void> {
  await trx
    .updateTable('accounts')
    .set((e) => ({ create_seq: e.ref('create_seq') }))
    .where('id', '=', id)
    .execute();
}
