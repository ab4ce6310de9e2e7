import { expect, test } from 'vitest';
import { bytes, count, counted, countryName, duration, gigabytes, hours } from './figures.ts';

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1 kB'],
  [1234, '1.23 kB'],
  [45_678_901, '45.7 MB'],
  [999_400_000, '999 MB'],
  [1.5e15, '1.5 PB'],
  [2.5e18, '2,500 PB'],
])('%i bytes read %s', (value, text) => expect(bytes(value)).toBe(text));

test.each([
  [0, '0 s'],
  [59.4, '59 s'],
  [60, '1 min'],
  [95, '1 min 35 s'],
  [1800, '30 min'],
  [7260, '2 h 1 min'],
  [90_000, '1 d 1 h'],
])('%d seconds read %s', (seconds, text) => expect(duration(seconds)).toBe(text));

test('figures carry their unit', () => {
  expect(hours(172_800)).toBe('48 h');
  expect(hours(30)).toBe('0.01 h');
  expect(gigabytes(0.000_001_2)).toBe('1.2 kB');
  expect(counted(1, 'session')).toBe('1 session');
  expect(counted(1200, 'session')).toBe('1,200 sessions');
  expect(count(2147483647)).toBe('2,147,483,647');
});

test('a country that nobody knows is still named', () => {
  expect(countryName('DE')).toBe('Germany');
  expect(countryName('ZZ')).toBe('Unknown');
  expect(countryName('not a code')).toBe('not a code');
});
