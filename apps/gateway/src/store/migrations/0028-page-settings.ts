import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../tables.ts';

/** Whether an account allows page calls, and what a crawled page's server said that tells whether it has changed. */
async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable('accounts')
    .addColumn('page_calls', 'integer', (c) => c.notNull().defaultTo(1))
    .execute();
  for (const column of ['etag', 'last_modified'])
    await db.schema.alterTable('crawl_pages').addColumn(column, 'text').execute();
}

export const pageSettings0028: Migration = { up };
