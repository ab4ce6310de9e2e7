import { expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/leaks.ts';
import { cells } from '../fixtures/suite.ts';
import { attacks } from './attacks/all.ts';
import { runFairness, type Slice } from './run.ts';

watchLeaks();

/** Rows of each kind: masks, stealth, strangers, frames, memory, reads. */
const quick = [1, 3, 4, 8, 12, 14];

/** What a row may cost the service: a start, the victim's own calls meanwhile, and a microsecond for each byte. */
const allowedSeconds = ({ lastedMs, sentBytes }: Slice) => 0.5 + 0.1 * (lastedMs / 1000) + sentBytes / 1e6;
const grownMiB = 256;

test('an attacker pays for what it sends and leaves nothing behind, and another tenant is served', async () => {
  const rows = cells({ quick, rest: attacks.map(({ row }) => row).filter((row) => !quick.includes(row)) });
  const { slices, before, left, fatalLines } = await runFairness({
    ...{ rows, mixtures: 0, sliceMs: 0, seed: 1, scale: 0.15 },
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
});
