import { type Kysely, PostgresAdapter } from 'kysely';

/** For the few statements that the two engines are not told in the same words. */
export const isPostgres = <Tables>(db: Kysely<Tables>): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter;
