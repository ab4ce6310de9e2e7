import type { Database } from './database.ts';

const lines = new WeakMap<Database, Map<string, Promise<unknown>>>();

/**
 * Work on the same row, one after the other: whoever would only wait for its lock takes no connection for that. When
 * one fails, those behind it fail too: what kept the store from it would keep it from each of them, for as long.
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
