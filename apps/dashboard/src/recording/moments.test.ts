import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Chunks,
  chunkAt,
  clock,
  errorTimes,
  idleStretches,
  idleUntil,
  momentOf,
  nextError,
  nextRange,
  pictureAfter,
  pictureAt,
  spokenTime,
  withMoment,
} from './moments.ts';

const chunk = (index: number, fromMs: number, toMs: number, pictureTimes: number[] = [], errors = 0) => ({
  index,
  fromMs,
  toMs,
  events: 1,
  errors,
  pictureTimes,
});

const chunks: Chunks = [
  chunk(0, 0, 1900, [500, 1500]),
  chunk(1, 2100, 3000, []),
  chunk(2, 60_000, 61_000, [60_400], 2),
];

test('the chunk of a moment is the last that had begun', () => {
  expect([-5, 0, 2000, 2100, 59_999, 60_000, 1e9].map((t) => chunkAt(chunks, t))).toEqual([
    0, 0, 0, 1, 1, 2, 2,
  ]);
  expect(chunkAt([], 5)).toBe(0);
});

test('the picture of a moment is the last that was taken, wherever that was, or else the first', () => {
  expect(pictureAt(chunks, 100)).toEqual({ chunk: 0, picture: 0, t: 500 });
  expect(pictureAt(chunks, 1600)).toEqual({ chunk: 0, picture: 1, t: 1500 });
  expect(pictureAt(chunks, 60_100)).toEqual({ chunk: 0, picture: 1, t: 1500 });
  expect(pictureAt(chunks, 60_400)).toEqual({ chunk: 2, picture: 0, t: 60_400 });
  expect(pictureAt([chunk(0, 0, 1)], 1)).toBeUndefined();
  expect(pictureAfter(chunks, 1500)).toEqual({ chunk: 2, picture: 0, t: 60_400 });
  expect(pictureAfter(chunks, 60_400)).toBeUndefined();
});

test('what is looked at is loaded first, then everything else, and nothing twice', () => {
  const hour = Array.from({ length: 1800 }, (_, index) => chunk(index, index * 2000, index * 2000 + 1900));
  fc.assert(
    fc.property(fc.integer({ min: -1000, max: 3_700_000 }), (t) => {
      const loaded = new Set<number>();
      let isFirst = true;
      for (let range = nextRange(hour, t, (index) => loaded.has(index)); range; ) {
        if (isFirst) {
          const at = hour[chunkAt(hour, t)]?.index ?? 0;
          expect(range.isNear && range.from <= at && range.to >= at).toBe(true);
          expect(range.to - range.from).toBeLessThan(15);
        }
        isFirst = false;
        expect(range.to - range.from).toBeLessThan(60);
        for (let index = range.from; index <= range.to; index++) {
          expect(loaded.has(index)).toBe(false);
          loaded.add(index);
        }
        range = nextRange(hour, t, (index) => loaded.has(index));
      }
      expect(loaded.size).toBe(1800);
    }),
    { numRuns: 30 },
  );
  expect(nextRange([], 5, () => false)).toBeUndefined();
});

test('a stretch in which nothing happens is skipped, but for half a second before and after', () => {
  expect(idleStretches(chunks)).toEqual([{ from: 3000, to: 60_000 }]);
  expect(idleUntil(chunks, 3400)).toBeUndefined();
  expect(idleUntil(chunks, 3500)).toBe(59_500);
  expect(idleUntil(chunks, 59_500)).toBeUndefined();
  expect(idleUntil(chunks, 1950)).toBeUndefined();
  expect(idleUntil(chunks, 99_000)).toBeUndefined();
});

test('errors are where they were, or where their chunk begins until that is loaded', () => {
  expect(errorTimes(chunks, [], () => false)).toEqual([60_000]);
  expect(errorTimes(chunks, [60_500, 60_700], () => true)).toEqual([60_500, 60_700]);
  const times = [100, 60_500, 60_700];
  expect(nextError(times, 100, 1)).toBe(60_500);
  expect(nextError(times, 60_500, -1)).toBe(100);
  expect(nextError(times, 60_700, 1)).toBeUndefined();
});

test('times are written and said as people do', () => {
  expect([clock(0), clock(83_250), clock(3_723_400), clock(83_250, 0)]).toEqual([
    ...['0:00.0', '1:23.2', '1:02:03.4', '1:23'],
  ]);
  expect([spokenTime(0), spokenTime(61_000), spokenTime(3_602_000)]).toEqual([
    ...['0 seconds', '1 minute 1 second', '1 hour 2 seconds'],
  ]);
});

test('an address names a moment, beside what else is in it', () => {
  expect(momentOf('#t=83.2')).toBe(83_200);
  expect(momentOf('#token=abc&t=5')).toBe(5000);
  expect(['', '#', '#t=', '#t=x', '#t=-1'].map(momentOf).filter((t) => t !== undefined && t !== 0)).toEqual(
    [],
  );
  expect(withMoment('', 83_249)).toBe('#t=83.2');
  expect(withMoment('#t=1&token=a%2Bb', 2000)).toBe('#token=a%2Bb&t=2.0');
});
