// @module-tag slow
import { expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { attacks } from './attacks/all.ts';
import { runFairness, type Slice } from './run.ts';

watchLeaks();

/**
 * What a row may cost the service: a start, the victim's own calls meanwhile, and some time for each byte. It is twice
 * what the rows need on a quiet machine. Before the mends they needed minutes.
 */
const allowedSeconds = ({ lastedMs, sentBytes }: Slice) => 1 + 0.2 * (lastedMs / 1000) + sentBytes / 5e5;
const grownMiB = 256;

test.each([{ rows: attacks.map(({ row }) => row) }])(
  'an attacker pays for what it sends and leaves nothing behind, and another tenant is served: rows $rows',
  async ({ rows }) => {
    const { slices, before, left, fatalLines } = await runFairness({
      rows,
      mixtures: 0,
      sliceMs: 0,
      seed: 1,
      scale: 0.15,
    });
    for (const slice of slices) {
      const { name, samples, failures, serviceSeconds, residentMiB } = slice;
      expect.soft(failures, name).toEqual([]);
      expect
        .soft(
          samples.filter(({ kind }) => kind === 'failure'),
          name,
        )
        .toEqual([]);
      expect.soft(serviceSeconds, `${name}: processor seconds`).toBeLessThan(allowedSeconds(slice));
      expect.soft(residentMiB, `${name}: MiB`).toBeLessThan(before.residentMiB + grownMiB);
    }
    expect(left).toEqual([]);
    expect(fatalLines).toEqual([]);
  },
);
