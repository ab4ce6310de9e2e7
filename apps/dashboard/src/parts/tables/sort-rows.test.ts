import { expect, test } from 'vitest';
import { nextOrder, sortRows } from './sort-rows.ts';

test('rows are sorted as numbers or as text, and rows without a value come last', () => {
  const rows = [{ n: 2 }, { n: null }, { n: 10 }];
  expect(sortRows(rows, ({ n }) => n, false).map(({ n }) => n)).toEqual([2, 10, null]);
  expect(sortRows(rows, ({ n }) => n, true).map(({ n }) => n)).toEqual([10, 2, null]);
  expect(sortRows(['b', 'a10', 'a9'], (text) => text, false)).toEqual(['a9', 'a10', 'b']);
});

test('clicks on a heading go one way, the other way, and back to the order as loaded', () => {
  const first = nextOrder(undefined, 'Traffic', true);
  expect(first).toEqual({ column: 'Traffic', descending: true });
  const second = nextOrder(first, 'Traffic', true);
  expect(second).toEqual({ column: 'Traffic', descending: false });
  expect(nextOrder(second, 'Traffic', true)).toBeUndefined();
  expect(nextOrder(first, 'Session', false)).toEqual({ column: 'Session', descending: false });
});
