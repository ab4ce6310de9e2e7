import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** Crawls, their pages and results, and who works on them. */
async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('crawls')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id'))
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('url', 'text')
    .addColumn('plan_sealed', 'text', (c) => c.notNull())
    .addColumn('page_limit', 'integer', (c) => c.notNull())
    .addColumn('concurrency', 'integer')
    .addColumn('host_concurrency', 'integer', (c) => c.notNull())
    .addColumn('delay_ms', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('next_at', 'bigint', (c) => c.notNull())
    .addColumn('waiting', 'text')
    .addColumn('failures', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('why', 'text')
    .addColumn('next_number', 'integer', (c) => c.notNull().defaultTo(1))
    .addColumn('result_seq', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('found', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('open', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('done', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('failed', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('skipped', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('duplicates', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('sitemaps', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('bytes', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('progress_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('key_hash', 'text')
    .addColumn('plan_hash', 'text')
    .execute();
  await db.schema
    .createIndex('crawls_of_account')
    .on('crawls')
    .columns(['account_id', 'created_at', 'id'])
    .execute();
  await db.schema.createIndex('crawls_by_state').on('crawls').columns(['state', 'next_at']).execute();
  await db.schema.createIndex('crawls_by_expiry').on('crawls').column('expires_at').execute();
  await db.schema
    .createIndex('crawls_by_key')
    .unique()
    .on('crawls')
    .columns(['account_id', 'key_hash'])
    .execute();
  await pageTables(db);
  await db.schema
    .createTable('crawl_runners')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('crawl_id', 'text', (c) => c.notNull().references('crawls.id'))
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('gateway', 'text', (c) => c.notNull())
    .addColumn('alive_until', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('crawl_runners_of_account')
    .on('crawl_runners')
    .columns(['account_id', 'crawl_id'])
    .execute();
  await db.schema.createIndex('crawl_runners_by_time').on('crawl_runners').column('alive_until').execute();
  await db.schema
    .createTable('crawl_usage')
    .addColumn('account_id', 'text', (c) => c.primaryKey().references('accounts.id'))
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .execute();
}

async function pageTables(db: Kysely<Tables>): Promise<void> {
  const ofCrawl = (table: string) =>
    db.schema.createTable(table).addColumn('crawl_id', 'text', (c) => c.notNull().references('crawls.id'));
  await ofCrawl('crawl_pages')
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull())
    .addColumn('origin', 'text', (c) => c.notNull())
    .addColumn('depth', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('claimed_by', 'text')
    .addColumn('result_seq', 'integer')
    .addColumn('loaded_at', 'bigint')
    .addColumn('loaded_url', 'text')
    .addColumn('canonical', 'text')
    .addColumn('status', 'integer')
    .addColumn('title', 'text')
    .addColumn('content_type', 'text')
    .addColumn('error_code', 'text')
    .addColumn('error_message', 'text')
    .addColumn('session_id', 'text')
    .addColumn('bytes', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('content_hash', 'text')
    .addPrimaryKeyConstraint('crawl_pages_pk', ['crawl_id', 'number'])
    .execute();
  await db.schema
    .createIndex('crawl_pages_to_load')
    .on('crawl_pages')
    .columns(['crawl_id', 'origin', 'state', 'number'])
    .execute();
  await db.schema
    .createIndex('crawl_pages_results')
    .on('crawl_pages')
    .columns(['crawl_id', 'result_seq'])
    .execute();
  await db.schema.createIndex('crawl_pages_by_hash').on('crawl_pages').column('hash').execute();
  await ofCrawl('crawl_addresses')
    .addColumn('hash', 'text', (c) => c.notNull())
    .addColumn('number', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('crawl_addresses_pk', ['crawl_id', 'hash'])
    .execute();
  await ofCrawl('crawl_hosts')
    .addColumn('origin', 'text', (c) => c.notNull())
    .addColumn('pending', 'integer', (c) => c.notNull())
    .addColumn('running', 'integer', (c) => c.notNull())
    .addColumn('next_at', 'bigint', (c) => c.notNull())
    .addColumn('delay_ms', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('robots', 'text')
    .addPrimaryKeyConstraint('crawl_hosts_pk', ['crawl_id', 'origin'])
    .execute();
  await db.schema
    .createIndex('crawl_hosts_by_time')
    .on('crawl_hosts')
    .columns(['crawl_id', 'next_at'])
    .execute();
  await ofCrawl('crawl_results')
    .addColumn('number', 'integer', (c) => c.notNull())
    // SQLite takes bytes into a column of any type.
    .addColumn('sealed', 'bytea', (c) => c.notNull())
    .addPrimaryKeyConstraint('crawl_results_pk', ['crawl_id', 'number'])
    .execute();
}

export const crawls0025: Migration = { up };
