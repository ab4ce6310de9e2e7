import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** When a session's clients were connected; and creates that failed, by hour and reason. */
async function up(db: Kysely<Tables>): Promise<void> {
  for (const column of ['connected_at', 'disconnected_at'] as const) {
    await db.schema.alterTable('sessions').addColumn(column, 'bigint').execute();
  }
  await db.schema
    .createTable('create_failures')
    .addColumn('hour', 'bigint', (c) => c.notNull())
    .addColumn('code', 'text', (c) => c.notNull())
    .addColumn('creates', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('create_failures_pk', ['hour', 'code'])
    .execute();
}

export const clientsAndFailures0015: Migration = { up };
