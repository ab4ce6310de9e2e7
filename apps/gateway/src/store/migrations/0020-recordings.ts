import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** Recordings of sessions, their parts, and how much they take of each account's room. */
async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('recordings')
    .addColumn('session_id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id'))
    .addColumn('state', 'text', (c) => c.notNull().defaultTo('recording'))
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('duration_ms', 'double precision', (c) => c.notNull().defaultTo(0))
    .addColumn('chunks', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('events', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('errors', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('pictures', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('bytes', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('picture_bytes', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('is_full', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('deleting_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('recordings_of_account')
    .on('recordings')
    .columns(['account_id', 'started_at', 'session_id'])
    .execute();
  await db.schema
    .createIndex('recordings_by_expiry')
    .on('recordings')
    .columns(['state', 'expires_at'])
    .execute();
  await db.schema
    .createTable('recording_chunks')
    .addColumn('session_id', 'text', (c) => c.notNull().references('recordings.session_id'))
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('from_ms', 'double precision', (c) => c.notNull())
    .addColumn('to_ms', 'double precision', (c) => c.notNull())
    .addColumn('events', 'integer', (c) => c.notNull())
    .addColumn('errors', 'integer', (c) => c.notNull())
    .addColumn('picture_times', 'text', (c) => c.notNull())
    .addColumn('event_bytes', 'integer', (c) => c.notNull())
    .addColumn('picture_bytes', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('recording_chunks_pk', ['session_id', 'number'])
    .execute();
  await db.schema
    .createTable('recording_usage')
    .addColumn('account_id', 'text', (c) => c.primaryKey().references('accounts.id'))
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .execute();
}

export const recordings0020: Migration = { up };
