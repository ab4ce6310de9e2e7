import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** E-mails that are to be sent, and the usage alerts of accounts. */
async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('mails')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('recipient', 'text', (c) => c.notNull())
    .addColumn('data', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('next_at', 'bigint', (c) => c.notNull())
    .addColumn('give_up_at', 'bigint', (c) => c.notNull())
    .addColumn('claimed_until', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.createIndex('mails_due').on('mails').column('next_at').execute();

  await db.schema
    .createTable('usage_alerts')
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('metric', 'text', (c) => c.notNull())
    .addColumn('threshold', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('usage_alerts_pk', ['account_id', 'metric', 'threshold'])
    .execute();

  // Outlives the alert itself, so that switching it off and on sends nothing twice.
  await db.schema
    .createTable('usage_alerts_sent')
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('metric', 'text', (c) => c.notNull())
    .addColumn('threshold', 'bigint', (c) => c.notNull())
    .addColumn('period', 'bigint', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('usage_alerts_sent_pk', ['account_id', 'metric', 'threshold', 'period'])
    .execute();

  // One gateway at a time compares usage with the alerts.
  await db.schema
    .createTable('usage_alert_checks')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('next_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.insertInto('usage_alert_checks').values({ id: 1, next_at: 0 }).execute();
}

export const mail0016: Migration = { up };
