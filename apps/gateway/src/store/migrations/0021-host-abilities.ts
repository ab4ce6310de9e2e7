import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('hosts').addColumn('abilities', 'text').execute();
}

export const hostAbilities0021: Migration = { up };
