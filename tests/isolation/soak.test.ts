// @module-tag slow

import { describe, expect, it } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { type Sample, soak } from '../stress/soak-run.ts';
import { trends } from '../stress/soak-trend.ts';

watchLeaks();

it('25 sessions in a row, some killed and some refused, leave a host as it was', async () => {
  const options = { sessions: 25, atOnce: 3, headfulEvery: 0, warm: 0, maxMs: 100_000 };
  const { opened, failures, samples } = await soak(options);
  expect(opened).toBe(25);
  expect(failures).toEqual([]);
  expect(trends(samples, 0)).toEqual([]);
});

describe('a trend is found', () => {
  const sample = (sessions: number, more: Partial<Sample> = {}): Sample => ({
    sessions,
    seconds: sessions,
    processes: 2,
    descriptors: 30,
    heapKiB: 9000,
    residentMiB: 100,
    controlGroups: 0,
    mounts: 40,
    temporaryFiles: 3,
    ...more,
  });
  const series = (grow: (sessions: number) => Partial<Sample>) =>
    Array.from({ length: 21 }, (_, index) => sample(index * 50, grow(index * 50)));

  it.each<[string, (sessions: number) => Partial<Sample>]>([
    ['processes', (sessions) => ({ processes: 2 + sessions / 50 })],
    ['descriptors', (sessions) => ({ descriptors: 30 + sessions / 50 })],
    ['controlGroups', (sessions) => ({ controlGroups: sessions > 900 ? 1 : 0 })],
    ['heap', (sessions) => ({ heapKiB: 9000 + sessions * 10 })],
    ['resident memory', (sessions) => ({ residentMiB: 100 + sessions / 4 })],
  ])('in %s', (name, grow) => {
    expect(trends(series(grow), 0)).toEqual([expect.stringContaining(name)]);
  });

  it('in nothing that merely wavers', () => {
    expect(
      trends(
        series((sessions) => ({ heapKiB: 9000 + (sessions % 3) * 300, descriptors: 30 + (sessions % 2) })),
        0,
      ),
    ).toEqual([]);
  });
});
