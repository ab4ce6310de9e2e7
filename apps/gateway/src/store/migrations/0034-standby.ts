import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** How long sessions have been asleep, and what that costs. */
async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable('sessions')
    .addColumn('standby_ms', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('sessions').addColumn('standby_since', 'bigint').execute();
  await db.schema.alterTable('sessions').addColumn('standby_permille', 'integer').execute();
}

export const standby0034: Migration = { up };
