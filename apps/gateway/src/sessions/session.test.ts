import fc from 'fast-check';
import { expect, test } from 'vitest';
import { billedSeconds, durationSeconds, endOfSession, sessionTimes } from './session.ts';

test.each([
  [0, 30],
  [29_999, 30],
  [30_000, 30],
  [30_001, 31],
  [7_200_000, 7200],
])('%s ms bill %s seconds', (ms, seconds) => expect(billedSeconds(1000, 1000 + ms)).toBe(seconds));

test('a session never ends before it began or after its lifetime, and an expired one ran all of it', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 120, max: 86_400 }), fc.integer(), (now, lifetime, skew) => {
      const times = sessionTimes(now, lifetime);
      for (const status of ['CLOSED', 'DEAD', 'EXPIRED'] as const) {
        const end = endOfSession(times, status, now + skew);
        expect(end).toBeGreaterThanOrEqual(times.created_at);
        expect(end).toBeLessThanOrEqual(times.expires_at);
        expect(billedSeconds(now, end)).toBe(Math.max(30, durationSeconds(now, end)));
      }
      expect(durationSeconds(now, endOfSession(times, 'EXPIRED', now + skew))).toBe(lifetime);
    }),
  );
});
