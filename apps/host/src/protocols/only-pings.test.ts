import { expect, test } from 'vitest';
import { isOnlyPings } from './only-pings.ts';

const frame = (first: number, length: number) =>
  Buffer.concat([Buffer.from([first, 0x80 + length]), Buffer.alloc(4 + length)]);

test('pings and pongs are known by their heads', () => {
  expect(isOnlyPings(frame(0x89, 0))).toBe(true);
  expect(isOnlyPings(Buffer.concat([frame(0x8a, 125), frame(0x89, 3)]))).toBe(true);
});

test('whatever else a client sends is a use', () => {
  for (const first of [0x81, 0x82, 0x01, 0x80, 0x88, 0x09]) expect(isOnlyPings(frame(first, 3))).toBe(false);
  expect(isOnlyPings(Buffer.concat([frame(0x89, 3), frame(0x81, 3)]))).toBe(false);
  expect(isOnlyPings(frame(0x89, 3).subarray(0, 5))).toBe(false);
  expect(isOnlyPings(Buffer.concat([frame(0x89, 0), Buffer.from([0x81])]))).toBe(false);
  expect(isOnlyPings(Buffer.from([0x89, 0x03, 1, 2, 3]))).toBe(false);
  expect(isOnlyPings(Buffer.alloc(0))).toBe(false);
});
