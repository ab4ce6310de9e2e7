import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** Idempotency keys that were closed. The index is for counting an account's that have no session. */
async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('idempotency_keys').addColumn('closed_at', 'bigint').execute();
  await db.schema
    .createIndex('idempotency_keys_without_session')
    .on('idempotency_keys')
    .column('account_id')
    .where(sql<boolean>`session_id = ''`)
    .execute();
}

export const closedKeys0011: Migration = { up };
