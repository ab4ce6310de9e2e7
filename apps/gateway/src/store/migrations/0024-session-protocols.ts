import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** Which protocols the host of a session offers. Sessions of older hosts have none but CDP. */
async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable('sessions')
    .addColumn('protocols', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
}

export const sessionProtocols0024: Migration = { up };
