import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** All columns have a default: a gateway of before goes on writing rows that know nothing of them. */
async function up(db: Kysely<Tables>): Promise<void> {
  for (const column of ['private_url', 'region'] as const) {
    await db.schema.alterTable('hosts').addColumn(column, 'text').execute();
  }
  await db.schema.alterTable('hosts').addColumn('former_heartbeat_at', 'bigint').execute();
  for (const column of ['seats', 'used', 'seq'] as const) {
    await db.schema
      .alterTable('hosts')
      .addColumn(column, 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
  }
  const texts = { chromium_version: '', service_version: '', state: 'live', phase: 'up' } as const;
  for (const [column, value] of Object.entries(texts)) {
    await db.schema
      .alterTable('hosts')
      .addColumn(column, 'text', (c) => c.notNull().defaultTo(value))
      .execute();
  }
  // Every heartbeat looks at its host's sessions. It took 0.4 s to build on a million rows.
  await db.schema
    .createIndex('sessions_of_host')
    .on('sessions')
    .column('host')
    .where(sql.ref('state'), '=', 'ACTIVE')
    .execute();
}

export const hosts0003: Migration = { up };
