import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** Where sessions' bytes went: while they are readable in full, by day for good, and in short with each session. */
async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('sessions').addColumn('traffic', 'text').execute();

  // Apart from the sessions, whose rows are read with every heartbeat.
  await db.schema
    .createTable('session_traffic')
    .addColumn('session_id', 'text', (c) => c.primaryKey())
    .addColumn('readable_until', 'bigint', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('traffic', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('session_traffic_by_readable_until')
    .on('session_traffic')
    .column('readable_until')
    .execute();

  await db.schema
    .createTable('traffic_days')
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('port', 'integer', (c) => c.notNull())
    .addColumn('requests', 'bigint', (c) => c.notNull())
    .addColumn('tunnels', 'bigint', (c) => c.notNull())
    .addColumn('bytes_up', 'bigint', (c) => c.notNull())
    .addColumn('bytes_down', 'bigint', (c) => c.notNull())
    .addColumn('refused', 'bigint', (c) => c.notNull())
    .addColumn('bytes_from_cache', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('traffic_days_key', ['account_id', 'day', 'host', 'port'])
    .execute();
}

export const traffic0017: Migration = { up };
