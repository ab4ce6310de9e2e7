import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** Answers to page calls with an Idempotency-Key, for repeats. */
async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('page_answers')
    .addColumn('session_id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id'))
    // SQLite takes bytes into a column of any type.
    .addColumn('sealed', 'bytea', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  // For the newest of an account, and for pruning.
  await db.schema
    .createIndex('page_answers_by_account')
    .on('page_answers')
    .columns(['account_id', 'created_at'])
    .execute();
  await db.schema.createIndex('page_answers_by_age').on('page_answers').column('created_at').execute();
}

export const pageAnswers0026: Migration = { up };
