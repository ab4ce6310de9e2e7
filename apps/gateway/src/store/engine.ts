import { type Kysely, PostgresAdapter } from 'kysely';

/** Tells the engines apart, for the few statements that differ. */
export const isPostgres = <Tables>(db: Kysely<Tables>): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter;
