import type { Database } from './database.ts';

const queues = new WeakMap<Database, Map<string, Promise<unknown>>>();

/**
 * Runs work on the same key one after the other, so that requests that would wait for the key's lock do not occupy a
 * connection. When one fails, those behind it fail too: the store would keep each of them waiting as long.
 */
export function serializedByKey<T>(db: Database, key: string, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(db) ?? new Map<string, Promise<unknown>>();
  queues.set(db, queue);
  const own = (queue.get(key) ?? Promise.resolve()).then(work);
  queue.set(key, own);
  const remove = () => {
    if (queue.get(key) === own) queue.delete(key);
  };
  own.then(remove, remove);
  return own;
}
