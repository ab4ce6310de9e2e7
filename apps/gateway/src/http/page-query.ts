import { decodeCursor, type PageRequest } from '../store/time-page.ts';
import { badRequest } from './api-error.ts';

const pageSize = { min: 1, max: 200, default: 50 };

/** Parses `limit` and `cursor` of a query string. */
export function parsePage(query: unknown): PageRequest {
  const { limit = String(pageSize.default), cursor } = query as Record<string, unknown>;
  const size = Number(limit);
  if (typeof limit !== 'string' || !/^\d{1,3}$/.test(limit) || size < pageSize.min || size > pageSize.max) {
    throw badRequest(`limit must be an integer from ${pageSize.min} to ${pageSize.max}`);
  }
  if (cursor === undefined) return { limit: size };
  const after = decodeCursor(cursor);
  if (!after) throw badRequest('cursor must be a nextCursor of an earlier page');
  return { limit: size, after };
}
