import { type RawBuilder, sql } from 'kysely';

/** The last row of a page that is sorted newest first. The next page starts after it. */
export interface TimeCursor {
  at: number;
  id: string;
}

export interface PageRequest {
  limit: number;
  after?: TimeCursor;
}

/** Reads the text of `encodeCursor`; undefined if it is not one. */
export function decodeCursor(text: unknown): TimeCursor | undefined {
  const decoded = typeof text === 'string' ? Buffer.from(text, 'base64url').toString() : '';
  const match = /^(\d{1,15})\.(\w{1,64})$/.exec(decoded);
  return match?.[1] && match[2] ? { at: Number(match[1]), id: match[2] } : undefined;
}

/** Matches rows after the cursor: older ones, by a column of times and the id. */
export const behind = (column: string, id: string, { at, id: last }: TimeCursor): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(column)}, ${sql.ref(id)}) < (${at}, ${last})`;

/** Matches the cursor's own row and newer ones. */
export const upTo = (column: string, id: string, { at, id: last }: TimeCursor): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(column)}, ${sql.ref(id)}) >= (${at}, ${last})`;

/** Cuts a page from `limit + 1` rows: the extra row tells whether there is a next page. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => TimeCursor,
): { page: Row[]; nextCursor: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  if (rows.length <= limit || !last) return { page, nextCursor: null };
  return { page, nextCursor: encodeCursor(cursorOf(last)) };
}

export const encodeCursor = ({ at, id }: TimeCursor): string =>
  Buffer.from(`${at}.${id}`).toString('base64url');
