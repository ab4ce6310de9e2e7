import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from './engine.ts';
import type { Tables } from './tables.ts';

/**
 * Builds a table `(c0, c1, …)` from rows of text, passed as one parameter. Bulk statements then have one shape whatever
 * their size, and no engine's limit on parameters applies.
 */
export function jsonRows(
  db: Kysely<Tables>,
  rows: readonly (readonly string[])[],
  columns: number,
): RawBuilder<unknown> {
  return jsonTable(db, JSON.stringify(rows), columns);
}

/** Builds the same table from JSON. */
export function jsonTable(db: Kysely<Tables>, json: string, columns: number): RawBuilder<unknown> {
  const indexes = Array.from({ length: columns }, (_, i) => i);
  if (isPostgres(db)) {
    const fields = indexes.map((i) => sql`r ->> ${sql.lit(i)} as ${sql.ref(`c${i}`)}`);
    return sql`(select ${sql.join(fields)} from json_array_elements(${json}::json) as r) as rows_`;
  }
  const fields = indexes.map((i) => sql`json_extract(value, ${sql.lit(`$[${i}]`)}) as ${sql.ref(`c${i}`)}`);
  return sql`(select ${sql.join(fields)} from json_each(${json})) as rows_`;
}
