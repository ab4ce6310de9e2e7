// @module-tag slow

import { expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { fuzz } from './run.ts';

watchLeaks();

const seed = Number(process.env['TURNPIKE_FUZZ_SEED'] ?? Date.now() % 1_000_000);

test(`hostile bytes at every port disturb nobody (seed ${seed})`, async () => {
  const result = await fuzz({ seed, ms: 30_000 });
  expect(result.objections, `TURNPIKE_FUZZ_SEED=${seed} sends the same`).toEqual([]);
  expect(result.measured).toBeGreaterThan(0);
  for (const { rounds } of Object.values(result.witnesses)) expect(rounds).toBeGreaterThan(1);
});
