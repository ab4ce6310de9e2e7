import { sessionIdPattern } from '@turnpike/contract/ids';
import type { Database } from '../store/database.ts';
import type { SessionRow } from '../store/tables.ts';
import { pageOf, type TimeCursor } from '../store/time-page.ts';
import { windowedPage } from '../store/windowed-search.ts';
import { endOfSessionWindow, listSessions, type SessionFilter } from './session-store.ts';

const cursorOf = ({ created_at: at, id }: SessionRow): TimeCursor => ({ at, id });

/** Returns a page of the permanent record, newest first. Filters without an index are searched in windows. */
export async function searchSessions(
  db: Database,
  filter: SessionFilter,
): Promise<{ page: SessionRow[]; nextCursor: string | null }> {
  const { text, status, host, name, tag, limit } = filter;
  const others = [host, name, tag];
  const isById = text !== undefined && sessionIdPattern.test(text);
  // Running sessions have an index, however long the record is.
  if (isById || status === 'ACTIVE' || (!text && !status && others.every((value) => value === undefined))) {
    return pageOf(await listSessions(db, { ...filter, limit: limit + 1 }), limit, cursorOf);
  }
  return windowedPage({
    limit,
    after: filter.after,
    endOfWindow: (after, count) => endOfSessionWindow(db, withCursor(filter, after), count),
    search: (after, until, most) =>
      listSessions(db, { ...withCursor(filter, after), limit: most, ...(until && { until }) }),
    cursorOf,
  });
}

function withCursor(
  { after: _former, ...filter }: SessionFilter,
  after: TimeCursor | undefined,
): SessionFilter {
  return after ? { ...filter, after } : filter;
}
