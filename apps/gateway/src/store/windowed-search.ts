import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { encodeCursor, pageOf, type TimeCursor } from './time-page.ts';

/** Rows that one statement scans: some 15 ms in SQLite, which answers nothing else meanwhile. */
const windowRows = 5000;
/** Windows that one request scans. The next request continues at its cursor. */
const maxWindows = 10;

export interface WindowedQuery<Row> {
  limit: number;
  after?: TimeCursor | undefined;
  /** Finds the last of the first `count` rows after the cursor, ignoring the filter; undefined if there are fewer. */
  endOfWindow(after: TimeCursor | undefined, count: number): Promise<TimeCursor | undefined>;
  /** Finds matching rows after one cursor and up to another. */
  search(after: TimeCursor | undefined, until: TimeCursor | undefined, limit: number): Promise<Row[]>;
  cursorOf(row: Row): TimeCursor;
}

/**
 * Searches without an index, newest first, in windows of so many rows, with other work in between, and only so many
 * windows per request. A page may have fewer rows than asked for, or none, and still have a next page.
 */
export async function windowedPage<Row>(
  query: WindowedQuery<Row>,
): Promise<{ page: Row[]; nextCursor: string | null }> {
  const { limit, endOfWindow, search, cursorOf } = query;
  const found: Row[] = [];
  let after = query.after;
  for (let windows = 0; windows < maxWindows; windows++) {
    const until = await endOfWindow(after, windowRows);
    found.push(...(await search(after, until, limit + 1 - found.length)));
    if (found.length > limit || until === undefined) return pageOf(found, limit, cursorOf);
    after = until;
    await yieldToEventLoop();
  }
  return { page: found, nextCursor: after ? encodeCursor(after) : null };
}
