import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listWindow, scrollTo } from './list-window.ts';
import type { NetworkRow } from './rows.ts';
import { milliseconds, shortUrl } from './text.ts';
import { barOf, waterfallRange } from './waterfall.ts';

test('a list has the rows in sight in the document and a few more, however long it is', () => {
  expect(listWindow(0, 300, 30, 5)).toEqual({ from: 0, to: 5 });
  expect(listWindow(0, 300, 30, 100_000)).toEqual({ from: 0, to: 18 });
  expect(listWindow(3000, 300, 30, 100_000)).toEqual({ from: 92, to: 118 });
  const place = fc.integer({ min: 0, max: 4_000_000 });
  fc.assert(
    fc.property(
      place,
      fc.integer({ min: 0, max: 2000 }),
      fc.integer({ min: 0, max: 100_000 }),
      (top, height, count) => {
        const { from, to } = listWindow(top, height, 30, count);
        expect(from >= 0 && from <= to && to <= count && to - from <= height / 30 + 18).toBe(true);
      },
    ),
  );
});

test('a row is brought into sight by the least scrolling, and to the middle from far away', () => {
  const at = { scrollTop: 300, height: 300, rowHeight: 30 };
  expect(scrollTo(10, at)).toBeUndefined();
  expect(scrollTo(19, at)).toBeUndefined();
  expect(scrollTo(20, at)).toBe(330);
  expect(scrollTo(9, at)).toBe(270);
  expect(scrollTo(1000, at)).toBe(30_000 - 135);
});

const row = (t: number, answeredAt?: number, endMs?: number) =>
  ({ t, response: answeredAt === undefined ? undefined : { t: answeredAt }, endMs }) as NetworkRow;

test('bars share the time of the rows in sight', () => {
  const rows = [row(1000, 1200, 1500), row(1100, undefined, 3000)];
  const range = waterfallRange(rows, 9000);
  expect(range).toEqual({ from: 1000, to: 3000 });
  expect(barOf(row(1000, 1200, 1500), range, 9000)).toEqual({ start: 0, waiting: 0.1, receiving: 0.15 });
  expect(barOf(row(2000, undefined, undefined), range, 9000)).toEqual({
    start: 0.5,
    waiting: 0.5,
    receiving: 0,
  });
  expect(waterfallRange([], 5)).toEqual({ from: 0, to: 200 });
  expect(waterfallRange([row(50, 51, 52)], 60)).toEqual({ from: 50, to: 250 });
  expect(waterfallRange([row(50)], 800)).toEqual({ from: 50, to: 800 });
});

test('times and addresses are short', () => {
  expect([milliseconds(7.4), milliseconds(1240), milliseconds(12_400)]).toEqual(['7 ms', '1.24 s', '12.4 s']);
  expect(shortUrl('https://shop.example/plants?a=1')).toBe('/plants?a=1 · shop.example');
  expect(shortUrl('https://shop.example/')).toBe('shop.example');
  expect(shortUrl('about:blank')).toBe('about:blank');
  expect(shortUrl('data:text/html,x')).toBe('data:text/html,x');
});
