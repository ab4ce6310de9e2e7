import { type RawBuilder, sql } from 'kysely';

/** Matches rows in which one of the columns contains the text, in upper or lower case. */
export function containing(columns: readonly string[], text: string): RawBuilder<boolean> {
  // PostgreSQL stores no NUL in a text.
  const literal = text.replaceAll('\0', '').replace(/[\\%_]/g, '\\$&');
  const pattern = `%${literal.toLowerCase()}%`;
  const matches = columns.map((column) => sql`lower(${sql.ref(column)}) like ${pattern} escape '\\'`);
  return sql<boolean>`(${sql.join(matches, sql` or `)})`;
}
