import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** The proxies and pools that accounts have saved, which sessions use them, and what they have carried by day. */
async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('saved_proxies')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('url_sealed', 'text', (c) => c.notNull())
    .addColumn('url_masked', 'text', (c) => c.notNull())
    .addColumn('tags', 'text', (c) => c.notNull())
    .addColumn('country', 'text')
    .addColumn('notes', 'text')
    .addColumn('price_micros', 'bigint')
    .addColumn('ca', 'text')
    .addColumn('trust_ca', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('client_certificate', 'text')
    .addColumn('client_key_sealed', 'text')
    .addColumn('state', 'text', (c) => c.notNull().defaultTo('unknown'))
    .addColumn('state_at', 'bigint', (c) => c.notNull())
    .addColumn('failures', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('next_check_at', 'bigint')
    .addColumn('checked_at', 'bigint')
    .addColumn('latency_ms', 'integer')
    .addColumn('exit_ip', 'text')
    .addColumn('exit_country', 'text')
    .addColumn('last_error', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('saved_proxies_name', ['account_id', 'name'])
    .execute();
  // Those that failed and are to be dialled again.
  await db.schema
    .createIndex('saved_proxies_next_check')
    .on('saved_proxies')
    .column('next_check_at')
    .where('next_check_at', 'is not', null)
    .execute();
  await db.schema
    .createTable('proxy_pools')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('policy', 'text', (c) => c.notNull())
    .addColumn('turn', 'bigint', (c) => c.notNull().defaultTo(-1))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('proxy_pools_name', ['account_id', 'name'])
    .execute();
  await db.schema
    .createTable('proxy_pool_members')
    .addColumn('pool_id', 'text', (c) => c.notNull().references('proxy_pools.id').onDelete('cascade'))
    .addColumn('proxy_id', 'text', (c) => c.notNull().references('saved_proxies.id'))
    .addColumn('position', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('proxy_pool_members_pk', ['pool_id', 'proxy_id'])
    .execute();
  await db.schema
    .createTable('proxy_keys')
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id'))
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('key_hash', 'text', (c) => c.notNull())
    .addColumn('proxy_id', 'text', (c) => c.notNull())
    .addColumn('generation', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('used_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('proxy_keys_pk', ['account_id', 'scope', 'key_hash'])
    .execute();
  await db.schema
    .createTable('session_proxies')
    .addColumn('session_id', 'text', (c) => c.notNull())
    .addColumn('proxy_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('session_proxies_pk', ['session_id', 'proxy_id'])
    .execute();
  await db.schema.createIndex('session_proxies_proxy').on('session_proxies').column('proxy_id').execute();
  await db.schema
    .createTable('proxy_days')
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id'))
    .addColumn('proxy_id', 'text', (c) => c.notNull())
    .addColumn('pool_id', 'text', (c) => c.notNull())
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('sessions', 'bigint', (c) => c.notNull())
    .addColumn('connections', 'bigint', (c) => c.notNull())
    .addColumn('failures', 'bigint', (c) => c.notNull())
    .addColumn('first_bytes', 'bigint', (c) => c.notNull())
    .addColumn('first_byte_ms', 'bigint', (c) => c.notNull())
    .addColumn('exit_changes', 'bigint', (c) => c.notNull())
    .addColumn('bytes_up', 'bigint', (c) => c.notNull())
    .addColumn('bytes_down', 'bigint', (c) => c.notNull())
    .addColumn('cost_micros', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('proxy_days_pk', ['account_id', 'proxy_id', 'pool_id', 'day'])
    .execute();
  for (const column of ['proxy_id', 'pool_id', 'proxy_key'])
    await db.schema.alterTable('sessions').addColumn(column, 'text').execute();
  await db.schema.alterTable('accounts').addColumn('default_proxy', 'text').execute();
  await db.schema.alterTable('sessions').addColumn('proxies_seen', 'text').execute();
  await db.schema.alterTable('saved_proxies').addColumn('exit_changed_at', 'bigint').execute();
  await db.schema.alterTable('sessions').addColumn('proxy_change', 'text').execute();
  await db.schema.alterTable('sessions').addColumn('proxy_change_until', 'bigint').execute();
}

export const proxies0029: Migration = { up };
