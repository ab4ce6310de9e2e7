import { expect, test } from 'vitest';
import { Poll } from './poll.ts';

const hourMs = 3_600_000;
const fails = (error: unknown) => {
  throw error;
};

test('steps run by themselves, and go on after one that failed', async () => {
  const errors: unknown[] = [];
  let steps = 0;
  await using _poll = new Poll(
    1,
    async () => {
      steps += 1;
      if (steps === 2) throw new Error('the second');
    },
    (error) => errors.push(error),
  );
  await expect.poll(() => steps).toBeGreaterThan(3);
  expect(errors).toEqual([new Error('the second')]);
});

test('there is one step at a time, and one more for all who asked meanwhile', async () => {
  const ends: (() => void)[] = [];
  const step = () => new Promise<void>((resolve) => ends.push(resolve));
  const poll = new Poll(hourMs, step, fails);
  poll.now();
  poll.now();
  poll.now();
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await expect.poll(() => ends).toHaveLength(2);
  ends[1]?.();
  await poll[Symbol.asyncDispose]();
  expect(ends).toHaveLength(2);
});

test('disposing waits for the step under way, and no other begins', async () => {
  const ends: (() => void)[] = [];
  const poll = new Poll(hourMs, () => new Promise<void>((resolve) => ends.push(resolve)), fails);
  poll.now();
  let isDisposed = false;
  const disposed = poll[Symbol.asyncDispose]().then(() => {
    isDisposed = true;
  });
  poll.now();
  await new Promise(setImmediate);
  expect(isDisposed).toBe(false);
  ends[0]?.();
  await disposed;
  poll.now();
  expect(ends).toHaveLength(1);
});
