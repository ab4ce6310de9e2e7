import { expect, test } from 'vitest';
import { costMicros, inCurrency, sessionCost } from './proxy-cost.ts';

test('a cost is price by 10⁹ bytes, rounded to a millionth, also of many bytes', () => {
  expect(costMicros(4_500_000, 1_000_000_000)).toBe(4_500_000);
  expect(costMicros(4_500_000, 111)).toBe(0);
  expect(costMicros(4_500_000, 112)).toBe(1);
  expect(costMicros(999_999_999_999, 8_000_000_001)).toBe(8_000_000_000_992);
  expect([inCurrency(1), inCurrency(undefined)]).toEqual([0.000001, null]);
});

test('a session costs what its proxies cost, and its own for all is compared', () => {
  const own = { bytesUp: 0, bytesDown: 1_000_000_000, priceMicros: 8_000_000 };
  const cheap = { bytesUp: 1_000_000_000, bytesDown: 2_000_000_000, priceMicros: 500_000 };
  expect(sessionCost([own, cheap])).toEqual({ cost: 9_500_000, costOfOneProxy: 32_000_000 });
  expect(sessionCost([])).toEqual({});
});

test('what a proxy without a price has carried makes the whole unknown', () => {
  const own = { bytesUp: 0, bytesDown: 1_000_000_000, priceMicros: 8_000_000 };
  const free = { bytesUp: 0, bytesDown: 1 };
  expect(sessionCost([own, free])).toEqual({ costOfOneProxy: 8_000_000 });
  expect(sessionCost([own, { bytesUp: 0, bytesDown: 0 }])).toEqual({
    cost: 8_000_000,
    costOfOneProxy: 8_000_000,
  });
  expect(sessionCost([free, own])).toEqual({});
});
