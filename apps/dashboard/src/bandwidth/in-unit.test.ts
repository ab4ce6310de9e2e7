import { expect, test } from 'vitest';
import { inUnit } from './in-unit.ts';

test('values of the API are written with the units that people know', () => {
  expect(inUnit(1234.5, 'Kb')).toBe('1,235 kB');
  expect(inUnit(12.34, 'Mb')).toBe('12.3 MB');
  expect(inUnit(0.5, 'Gb')).toBe('0.5 GB');
  expect(inUnit(0.000_001_23, 'Tb')).toBe('0.00000123 TB');
});
