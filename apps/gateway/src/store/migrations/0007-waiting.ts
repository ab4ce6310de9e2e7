import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('waiting')
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id'))
    .addColumn('ticket', 'bigint', (c) => c.notNull())
    .addColumn('phase', 'text', (c) => c.notNull())
    .addColumn('gateway', 'text', (c) => c.notNull())
    .addColumn('alive_until', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('waiting_pk', ['account_id', 'ticket'])
    .execute();
  await db.schema.createIndex('waiting_by_gateway').on('waiting').column('gateway').execute();
}

export const waiting0007: Migration = { up };
