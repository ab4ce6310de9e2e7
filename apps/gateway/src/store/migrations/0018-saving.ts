import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** HTTP caches, kept like saved profiles, and what sessions saved. */
async function up(db: Kysely<Tables>): Promise<void> {
  const sessions = () => db.schema.alterTable('sessions');
  await sessions().addColumn('cache_name', 'text').execute();
  await sessions()
    .addColumn('saves_cache', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await sessions().addColumn('savings', 'text').execute();
  await db.schema
    .createTable('saved_caches')
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    // SQLite takes bytes into a column of any type.
    .addColumn('sealed', 'bytea', (c) => c.notNull())
    .addColumn('bytes', 'integer', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('saved_caches_pk', ['account_id', 'name'])
    .execute();
}

export const saving0018: Migration = { up };
