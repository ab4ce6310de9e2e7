import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

async function up(db: Kysely<Tables>): Promise<void> {
  // Accounts of before get these when they are first asked for.
  for (const column of ['stats_token_hash', 'proxy_user'] as const) {
    await db.schema.alterTable('accounts').addColumn(column, 'text').execute();
    await db.schema.createIndex(`accounts_${column}`).unique().on('accounts').column(column).execute();
  }
  for (const column of ['stats_token_sealed', 'proxy_password_hash', 'proxy_password_sealed'] as const) {
    await db.schema.alterTable('accounts').addColumn(column, 'text').execute();
  }
  await db.schema
    .alterTable('accounts')
    .addColumn('stats_seq', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();

  // For sessions whose own bytes count for a product.
  for (const column of ['metered_product', 'metered_country'] as const) {
    await db.schema.alterTable('sessions').addColumn(column, 'text').execute();
  }

  await db.schema
    .createTable('stats_attempts')
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id'))
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('stats_attempts_pk', ['account_id', 'seq'])
    .execute();

  // The key's order is the order of every read: one account, one product, a range of days.
  await db.schema
    .createTable('bandwidth_days')
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id'))
    .addColumn('product', 'text', (c) => c.notNull())
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('country', 'text', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull().check(sql`bytes between 0 and 9223372036854775806`))
    .addPrimaryKeyConstraint('bandwidth_days_pk', ['account_id', 'product', 'day', 'country'])
    .execute();

  await db.schema
    .createTable('usage_record_ids')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .execute();

  await db.schema
    .createTable('meter_sources')
    .addColumn('source', 'text', (c) => c.primaryKey())
    .addColumn('reported_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('meter_counters')
    .addColumn('source', 'text', (c) => c.notNull().references('meter_sources.source'))
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id'))
    .addColumn('product', 'text', (c) => c.notNull())
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('country', 'text', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('meter_counters_pk', ['source', 'account_id', 'product', 'day', 'country'])
    .execute();

  await db.schema
    .createTable('operator_tokens')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
}

export const bandwidth0002: Migration = { up };
