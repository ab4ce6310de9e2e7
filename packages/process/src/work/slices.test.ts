import { expect, test } from 'vitest';
import { Slices } from './slices.ts';

test('others are served between two slices of long work, and each of them gets a whole one', async () => {
  let now = 0;
  const served: string[] = [];
  const work = async (name: string) => {
    const slices = new Slices(() => now);
    for (let step = 0; step < 6; step++) {
      now += 1;
      served.push(name);
      await slices.pause();
    }
  };
  setImmediate(() => served.push('other'));
  await work('a');
  expect(served.join(' ')).toBe('a a other a a a a');

  served.length = 0;
  await Promise.all([work('a'), work('b')]);
  expect(served.filter((name, i) => name !== served[i - 1]).length).toBeGreaterThan(4);
});

test('work within its slice does not yield', async () => {
  let isServed = false;
  setImmediate(() => {
    isServed = true;
  });
  const slices = new Slices(() => 0);
  for (let step = 0; step < 1000; step++) await slices.pause();
  expect(slices.isOver).toBe(false);
  expect(isServed).toBe(false);
});
