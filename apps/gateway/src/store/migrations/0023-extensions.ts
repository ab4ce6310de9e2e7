import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** Extensions that accounts have uploaded for their sessions. */
async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('extensions')
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id'))
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('id_source', 'text', (c) => c.notNull())
    .addColumn('checksum', 'text', (c) => c.notNull())
    .addColumn('public_key', 'text', (c) => c.notNull())
    // SQLite takes bytes into a column of any type.
    .addColumn('sealed', 'bytea', (c) => c.notNull())
    .addColumn('bytes', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('extensions_pk', ['account_id', 'id'])
    .execute();
}

export const extensions0023: Migration = { up };
