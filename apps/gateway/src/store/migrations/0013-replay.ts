import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** A replay walks an account's events by their time, a batch at a time. */
async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createIndex('events_by_account_time')
    .on('events')
    .columns(['account_id', 'at', 'seq'])
    .execute();
}

export const replay0013: Migration = { up };
