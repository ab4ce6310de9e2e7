import fc from 'fast-check';
import { expect, test } from 'vitest';
import { daysFrom, parseRange, utcDay, windowStart } from './calendar.ts';

const day = fc.date({ min: new Date('1970-01-01'), max: new Date('2199-12-31'), noInvalidDate: true });

test('any two days in order within 366 are a range, and its days follow each other without a gap', () => {
  fc.assert(
    fc.property(day, fc.integer({ min: 0, max: 400 }), (start, span) => {
      const from = utcDay(start.getTime());
      const to = utcDay(start.getTime() + span * 86_400_000);
      const range = parseRange(from, to, '2024-01-01');
      if (span >= 366) {
        expect(range).toEqual({ ok: false, rule: 'Range too large: max 366 days' });
        return;
      }
      expect(range).toEqual({ ok: true, from, to, days: span + 1 });
      const days = daysFrom(from, span + 1);
      expect([days[0], days.at(-1), new Set(days).size]).toEqual([from, to, span + 1]);
      expect(days).toEqual([...days].sort());
    }),
  );
});

test('no text but a real day is one', () => {
  const plausible = fc.tuple(
    fc.integer({ min: 0, max: 9999 }),
    fc.integer({ min: 0, max: 99 }),
    fc.integer({ min: 0, max: 99 }),
  );
  fc.assert(
    fc.property(plausible, ([y, m, d]) => {
      const text = `${String(y).padStart(4, '0')}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`;
      const date = new Date(0);
      date.setUTCFullYear(y, m - 1, d);
      const real = date.getUTCFullYear() === y && date.getUTCMonth() === m - 1 && date.getUTCDate() === d;
      expect(parseRange(text, text, text).ok).toBe(real);
    }),
    { numRuns: 2000 },
  );
});

test('a day ends at 23:59:59.999Z, and a window of 30 days ends today', () => {
  const midnight = Date.UTC(2024, 2, 1);
  expect([utcDay(midnight - 1), utcDay(midnight)]).toEqual(['2024-02-29', '2024-03-01']);
  expect(windowStart(midnight, 30)).toBe('2024-02-01');
});
