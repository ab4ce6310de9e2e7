import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** What people call sessions. Gateways of the version before write none. */
async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('sessions').addColumn('name', 'text').execute();
  await db.schema
    .alterTable('sessions')
    .addColumn('named', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('sessions').addColumn('tags', 'text').execute();
}

export const sessionNames0036: Migration = { up };
