import type { Database } from './database.ts';

const lines = new WeakMap<Database, Map<string, Promise<unknown>>>();

/**
 * Runs work on the same row one after the other, so that requests that would wait for the row's lock do not occupy a
 * connection. When one fails, those behind it fail too: the store would keep each of them waiting as long.
 */
export function serializedByKey<T>(db: Database, row: string, work: () => Promise<T>): Promise<T> {
  const line = lines.get(db) ?? new Map<string, Promise<unknown>>();
  lines.set(db, line);
  const own = (line.get(row) ?? Promise.resolve()).then(work);
  line.set(row, own);
  const leave = () => {
    if (line.get(row) === own) line.delete(row);
  };
  own.then(leave, leave);
  return own;
}
