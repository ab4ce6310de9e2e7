import { type RawBuilder, sql } from 'kysely';

/** Whether one of the columns holds the text, whatever its case. */
export function containing(columns: readonly string[], text: string): RawBuilder<boolean> {
  // PostgreSQL takes no NUL in a text, and so holds none.
  const literal = text.replaceAll('\0', '').replace(/[\\%_]/g, '\\$&');
  const pattern = `%${literal.toLowerCase()}%`;
  const matches = columns.map((column) => sql`lower(${sql.ref(column)}) like ${pattern} escape '\\'`);
  return sql<boolean>`(${sql.join(matches, sql` or `)})`;
}
