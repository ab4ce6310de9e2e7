import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** The device of the sessions that use a saved profile. */
async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('saved_profiles').addColumn('device', 'text').execute();
}

export const devices0033: Migration = { up };
