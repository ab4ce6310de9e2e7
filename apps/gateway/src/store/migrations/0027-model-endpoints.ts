import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** The model endpoint of an account, which makes JSON of pages. */
async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('model_endpoints')
    // The account's.
    .addColumn('id', 'text', (c) => c.primaryKey().references('accounts.id'))
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('key_sealed', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
}

export const modelEndpoints0027: Migration = { up };
