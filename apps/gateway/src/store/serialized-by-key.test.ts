import { expect, test } from 'vitest';
import type { Database } from './database.ts';
import { serializedByKey } from './serialized-by-key.ts';

const db = {} as Database;

test('work on one row goes one after the other, on another beside it, and on another store too', async () => {
  const begun: string[] = [];
  const first = Promise.withResolvers<void>();
  const work = (name: string, until?: Promise<void>) => async () => {
    begun.push(name);
    await until;
    return name;
  };
  const a = serializedByKey(db, 'row', work('a', first.promise));
  const b = serializedByKey(db, 'row', work('b'));
  await serializedByKey(db, 'other', work('other row'));
  await serializedByKey({} as Database, 'row', work('other store'));
  expect(begun).toEqual(['a', 'other row', 'other store']);
  first.resolve();
  expect(await Promise.all([a, b])).toEqual(['a', 'b']);
});

test('what fails takes those behind it along, and not those who come later', async () => {
  const begun: string[] = [];
  const failed = serializedByKey(db, 'row', async () => {
    throw new Error('away');
  });
  const behind = serializedByKey(db, 'row', async () => begun.push('behind'));
  await expect(failed).rejects.toThrow('away');
  await expect(behind).rejects.toThrow('away');
  expect(await serializedByKey(db, 'row', async () => 'later')).toBe('later');
  expect(begun).toEqual([]);
});
