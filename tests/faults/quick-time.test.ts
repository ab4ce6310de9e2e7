import { expect, test } from 'vitest';
import { missingConstants } from './quick-time.ts';

test('every constant of time that fault runs shorten is where they look for it', () => {
  expect(missingConstants()).toEqual([]);
});
