import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('accounts')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('email', 'text', (c) => c.notNull().unique())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('key_hash', 'text', (c) => c.notNull().unique())
    .addColumn('concurrent_limit', 'integer')
    .addColumn('browser_seconds_cap', 'bigint')
    .addColumn('creates_per_minute', 'integer', (c) => c.notNull())
    .addColumn('browser_seconds', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('create_seq', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();

  await db.schema
    .createTable('create_attempts')
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id'))
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('create_attempts_pk', ['account_id', 'seq'])
    .execute();

  await db.schema
    .createTable('sessions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id'))
    .addColumn('cdp_id', 'text', (c) => c.notNull().unique())
    .addColumn('viewer_token', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('deadline_at', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('readable_until', 'bigint', (c) => c.notNull())
    .addColumn('lifetime_seconds', 'integer', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('billed_seconds', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('host', 'text')
    .addColumn('host_boot', 'text')
    .addColumn('host_url', 'text')
    .addColumn('viewer', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('params', 'text', (c) => c.notNull())
    .addColumn('metadata', 'text', (c) => c.notNull())
    .addColumn('bytes_up', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('bytes_down', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();

  // The permanent record, newest first.
  await db.schema
    .createIndex('sessions_by_account')
    .on('sessions')
    .columns(['account_id', 'created_at', 'id'])
    .execute();
  // Slots and reaping look only at what still runs, however long the record grows.
  await db.schema
    .createIndex('sessions_running')
    .on('sessions')
    .columns(['account_id', 'state'])
    .where(sql.ref('state'), 'in', ['STARTING', 'ACTIVE'])
    .execute();

  await db.schema
    .createTable('usage_days')
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id'))
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('sessions', 'bigint', (c) => c.notNull())
    .addColumn('browser_seconds', 'bigint', (c) => c.notNull())
    .addColumn('bytes_up', 'bigint', (c) => c.notNull())
    .addColumn('bytes_down', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('usage_days_pk', ['account_id', 'day'])
    .execute();

  await db.schema
    .createTable('hosts')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('boot', 'text', (c) => c.notNull())
    .addColumn('public_url', 'text', (c) => c.notNull())
    .addColumn('heartbeat_at', 'bigint', (c) => c.notNull())
    .execute();
}

export const sessions0001: Migration = { up };
