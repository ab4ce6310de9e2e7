import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ClockEstimate } from './clock-estimate.ts';

/** A reading of a clock that is `offset` ahead, which came back after `roundTripMs`. */
const reading = (askedAt: number, offset: number, roundTripMs: number, share = 0.5) => ({
  askedAt,
  answeredAt: askedAt + roundTripMs,
  at: askedAt + roundTripMs * share + offset,
});

test('the estimate is never further off than half the best round trip, however the others went', () => {
  const trips = fc.array(
    fc.record({ ms: fc.integer({ min: 1, max: 5000 }), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
    {
      minLength: 1,
      maxLength: 20,
    },
  );
  fc.assert(
    fc.property(trips, fc.integer({ min: -1e9, max: 1e9 }), (made, offset) => {
      let at = 0;
      let estimate: ClockEstimate | undefined;
      for (const { ms, share } of made) {
        const sample = reading(at, offset, ms, share);
        if (!estimate) estimate = new ClockEstimate(sample);
        else expect(estimate.take(sample)).toBe(0);
        at += ms + 10;
      }
      const best = Math.min(...made.map(({ ms }) => ms));
      const drift = at * 200e-6;
      expect(Math.abs((estimate?.at(at) ?? 0) - (at + offset))).toBeLessThanOrEqual(best / 2 + 2 + drift);
    }),
  );
});

test('a slow reading changes nothing, and a clock that was set is followed, by a slow reading too', () => {
  const estimate = new ClockEstimate(reading(0, 1000, 2));
  expect(estimate.take(reading(100, 1000, 4000, 1))).toBe(0);
  expect(estimate.at(5000)).toBe(6000);
  expect(estimate.take(reading(5000, 3_601_000, 4000))).toBe(3_600_000);
  expect(estimate.at(10_000)).toBe(3_611_000);
});
