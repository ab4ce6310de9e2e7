import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** Sessions whose client hung up: any gateway's reaper closes them. The index has only those. */
async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('sessions').addColumn('abandoned_at', 'bigint').execute();
  await db.schema
    .createIndex('sessions_abandoned')
    .on('sessions')
    .column('abandoned_at')
    .where(sql<boolean>`state = 'ACTIVE' and abandoned_at is not null`)
    .execute();
}

export const hangUps0010: Migration = { up };
