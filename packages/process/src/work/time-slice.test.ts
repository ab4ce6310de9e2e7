import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { TimeSlice } from './time-slice.ts';

const bytes = Buffer.alloc(32 * 1024);
/** Some work that takes a small part of a slice. */
const work = () => hash('sha256', bytes);

async function units(slice: TimeSlice, count: number, done: () => void): Promise<void> {
  for (let i = 0; i < count; i++) {
    const wait = slice.next();
    if (wait) await wait;
    work();
    done();
  }
}

test('lets another owner go on between two slices of a flood', async () => {
  const order: string[] = [];
  const flood = new TimeSlice();
  const flooding = Promise.all([
    units(flood, 500, () => order.push('flood')),
    units(flood, 500, () => order.push('flood')),
  ]);
  await units(new TimeSlice(), 3, () => order.push('victim'));
  const before = order.lastIndexOf('victim');
  await flooding;
  expect(order).toHaveLength(1003);
  expect(before).toBeLessThan(500);
});

test('lets I/O go on between two slices of a flood', async () => {
  let rounds = 0;
  const count = () => {
    rounds += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  await units(new TimeSlice(), 1000, () => {});
  clearImmediate(timer);
  expect(rounds).toBeGreaterThan(5);
});

test('has the connections of one owner go on one unit at a time', async () => {
  const order: number[] = [];
  const owner = new TimeSlice();
  await Promise.all([1, 2, 3].map((name) => units(owner, 50, () => order.push(name))));
  expect(order.slice(0, 60)).toEqual(expect.arrayContaining([1, 2, 3]));
});

test('goes on after a unit that fails', async () => {
  const owner = new TimeSlice();
  const failing = units(owner, 1, () => {
    throw new Error('broken');
  });
  await expect(failing).rejects.toThrow('broken');
  let done = 0;
  await units(owner, 3, () => {
    done += 1;
  });
  expect(done).toBe(3);
});

test('counts what is received, and lets it go on in the next slice', async () => {
  const owner = new TimeSlice();
  const receive = () => {
    let reads = 1;
    while (!owner.charge(64 * 1024)) reads += 1;
    return reads;
  };
  expect(receive()).toBeLessThan(300);
  expect(owner.charge(1)).toBe(true);
  await new Promise<void>((resolve) => owner.whenNext(resolve));
  expect(receive()).toBeGreaterThan(100);
});

test('begins at once where nobody waits, as long as the round has time', async () => {
  await new Promise(setImmediate);
  const [first, second, late] = [new TimeSlice(), new TimeSlice(), new TimeSlice()];
  expect([first.next(), second.next()]).toEqual([undefined, undefined]);
  const began = performance.now();
  while (performance.now() < began + 1) work();
  const waits = [first.next(), late.next()];
  expect(waits).toEqual([expect.any(Promise), expect.any(Promise)]);
  await Promise.all(waits);
  await new Promise(setImmediate);
  expect(new TimeSlice().next()).toBeUndefined();
});
