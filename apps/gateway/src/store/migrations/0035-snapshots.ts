import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** Snapshots of sessions. */
async function up(db: Kysely<Tables>): Promise<void> {
  // Null: the session's own id.
  await db.schema.alterTable('sessions').addColumn('identity', 'text').execute();
  await db.schema
    .createTable('snapshots')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id'))
    .addColumn('session_id', 'text', (c) => c.notNull())
    .addColumn('identity', 'text', (c) => c.notNull())
    .addColumn('name', 'text')
    .addColumn('params', 'text', (c) => c.notNull())
    // SQLite takes bytes into a column of any type.
    .addColumn('sealed', 'bytea', (c) => c.notNull())
    .addColumn('bytes', 'integer', (c) => c.notNull())
    .addColumn('tabs', 'integer', (c) => c.notNull())
    .addColumn('lost', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('snapshots_account').on('snapshots').column('account_id').execute();
  await db.schema.createIndex('snapshots_expires').on('snapshots').column('expires_at').execute();
}

export const snapshots0035: Migration = { up };
