import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { alone } from './alone.ts';

test('what runs alone is slow as a whole, because npm test leaves it out', () => {
  const files = globSync(alone);
  expect(files.length).toBeGreaterThanOrEqual(alone.length);
  expect(files.filter((file) => !readFileSync(file, 'utf8').startsWith('// @module-tag slow'))).toEqual([]);
});
