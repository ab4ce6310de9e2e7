import fc from 'fast-check';
import { expect, test } from 'vitest';
import { billedSeconds, billedWithStandby, durationSeconds, endOfSession, sessionTimes } from './session.ts';

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

test('standby is billed by its factor, and at factor 1 as if there were none', () => {
  fc.assert(
    fc.property(fc.nat(86_400_000), fc.nat(86_400_000), fc.nat(1000), (awakeMs, asleepMs, permille) => {
      const billed = (of: number) =>
        billedWithStandby(1000, 1000 + awakeMs + asleepMs, { asleepMs, permille: of });
      expect(billed(1000)).toBe(billedSeconds(1000, 1000 + awakeMs + asleepMs));
      expect(billed(0)).toBe(billedSeconds(1000, 1000 + awakeMs));
      // In whole numbers, of any size.
      const micros = BigInt(awakeMs) * 1000n + BigInt(asleepMs) * BigInt(permille);
      expect(billed(permille)).toBe(Math.max(30, Number((micros + 999_999n) / 1_000_000n)));
    }),
  );
});
