import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** One row that is written to find out whether the store takes writes again. */
async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('store_probe')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .execute();
}

export const storeProbe0014: Migration = { up };
