import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('sessions').addColumn('evidence', 'text').execute();
  await db.schema
    .createTable('signing_keys')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('public_key', 'text', (c) => c.notNull())
    .addColumn('private_key_sealed', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('retired_at', 'bigint')
    // Nulls are distinct, so any number of keys may be retired, and one is current.
    .addColumn('current', 'integer', (c) => c.unique())
    .execute();
}

export const receipts0019: Migration = { up };
