import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('sessions').addColumn('profile_name', 'text').execute();
  await db.schema
    .alterTable('sessions')
    .addColumn('saves_profile', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('saved_profiles')
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    // SQLite takes bytes into a column of any type.
    .addColumn('sealed', 'bytea', (c) => c.notNull())
    .addColumn('bytes', 'integer', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('saved_profiles_pk', ['account_id', 'name'])
    .execute();
}

export const savedProfiles0008: Migration = { up };
