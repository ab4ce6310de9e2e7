import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** How much is missing at the end of a recording. */
async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable('recordings')
    .addColumn('missing_ms', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
}

export const missingEnds0022: Migration = { up };
