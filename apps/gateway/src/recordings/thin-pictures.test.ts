import fc from 'fast-check';
import { expect, test } from 'vitest';
import { picturesToThin } from './thin-pictures.ts';

const chunks = fc
  .uniqueArray(fc.nat(100_000), { minLength: 1, maxLength: 300 })
  .map((all) => all.toSorted((a, b) => a - b));

test('a step takes some of the older half, and repeated steps take all, the newest last', () => {
  fc.assert(
    fc.property(chunks, (all) => {
      let left = all;
      while (left.length > 0) {
        const gone = new Set(picturesToThin(left));
        expect(gone.size).toBeGreaterThan(0);
        const older = left.slice(0, Math.ceil(left.length / 2));
        for (const chunk of gone) expect(older).toContain(chunk);
        if (left.length > 1) expect(gone).not.toContain(left.at(-1));
        left = left.filter((chunk) => !gone.has(chunk));
      }
    }),
  );
});

test('the oldest are the fewest that are left', () => {
  let left = Array.from({ length: 1000 }, (_, i) => i);
  for (let step = 0; step < 3; step++) {
    const gone = new Set(picturesToThin(left));
    left = left.filter((chunk) => !gone.has(chunk));
  }
  const between = (from: number, to: number) => left.filter((chunk) => chunk >= from && chunk < to).length;
  expect(between(0, 500)).toBeLessThan(between(500, 750));
  expect(between(750, 1000)).toBe(250);
});
