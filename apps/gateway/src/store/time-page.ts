import { type RawBuilder, sql } from 'kysely';
import { ApiError } from '../http/api-error.ts';

/** Where a page of rows, newest first, ended. */
export interface TimeCursor {
  at: number;
  id: string;
}

export interface PageRequest {
  limit: number;
  after?: TimeCursor;
}

const pageSize = { min: 1, max: 200, default: 50 };

/** `limit` and `cursor` of a query. */
export function parsePage(query: unknown): PageRequest {
  const { limit = String(pageSize.default), cursor } = query as Record<string, unknown>;
  const size = Number(limit);
  if (typeof limit !== 'string' || !/^\d{1,3}$/.test(limit) || size < pageSize.min || size > pageSize.max) {
    throw new ApiError('badRequest', {
      message: `limit must be an integer from ${pageSize.min} to ${pageSize.max}`,
    });
  }
  return { limit: size, ...parseCursor(cursor) };
}

export const parseCursor = (cursor: unknown): Pick<PageRequest, 'after'> =>
  cursor === undefined ? {} : { after: decodeCursor(cursor) };

function decodeCursor(text: unknown): TimeCursor {
  const decoded = typeof text === 'string' ? Buffer.from(text, 'base64url').toString() : '';
  const match = /^(\d{1,15})\.(\w{1,64})$/.exec(decoded);
  if (!match?.[1] || !match[2]) {
    throw new ApiError('badRequest', { message: 'cursor must be a nextCursor of an earlier page' });
  }
  return { at: Number(match[1]), id: match[2] };
}

/** Rows behind the cursor, by a column of times and the id. */
export const behind = (column: string, id: string, { at, id: last }: TimeCursor): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(column)}, ${sql.ref(id)}) < (${at}, ${last})`;

/** Rows before the cursor, and its own. */
export const upTo = (column: string, id: string, { at, id: last }: TimeCursor): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(column)}, ${sql.ref(id)}) >= (${at}, ${last})`;

/** The page, of rows of which one more than asked for was read: that tells whether there is a next one. */
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
