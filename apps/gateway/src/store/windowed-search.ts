import { setImmediate as othersFirst } from 'node:timers/promises';
import { encodeCursor, pageOf, type TimeCursor } from './time-page.ts';

/** Rows that one statement looks at: some 15 ms of SQLite's, which answers nothing else meanwhile. */
const windowRows = 5000;
/** Rows that one request looks at. What is further back is found by its cursor. */
const maxWindows = 10;

export interface WindowedQuery<Row> {
  limit: number;
  after?: TimeCursor | undefined;
  /** The last of the first `count` rows behind the cursor, whatever is looked for; undefined: there are fewer. */
  endOfWindow(after: TimeCursor | undefined, count: number): Promise<TimeCursor | undefined>;
  /** What is looked for, behind one cursor and up to another. */
  search(after: TimeCursor | undefined, until: TimeCursor | undefined, limit: number): Promise<Row[]>;
  cursorOf(row: Row): TimeCursor;
}

/**
 * A page of what no index leads to, newest first: row by row, but only so many at a time, with everything else that
 * there is to do in between, and only so many for one request. A page may then have fewer rows than asked for, and
 * none, and still a next one.
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
    await othersFirst();
  }
  return { page: found, nextCursor: after ? encodeCursor(after) : null };
}
