import { expect, test } from 'vitest';
import { FairSlots, type SlotLimits } from './fair-slots.ts';

const limits: SlotLimits = { atOnce: 2, perOwner: 2, waitingPerOwner: 3, maxWaitMs: 60_000 };
const settled = () => new Promise(setImmediate);

test('a free slot goes to the owner that holds the fewest, not to the one that asks most', async () => {
  const slots = new FairSlots(limits);
  const granted: string[] = [];
  const take = (owner: string) =>
    slots.take(owner).then((slot) => {
      granted.push(owner);
      return slot;
    });
  const held = [await take('greedy'), await take('greedy')];
  const waiting = [take('greedy'), take('greedy'), take('first'), take('second')];
  held[0]?.[Symbol.dispose]();
  await settled();
  held[1]?.[Symbol.dispose]();
  await settled();
  expect(granted).toEqual(['greedy', 'greedy', 'first', 'second']);
  for (const index of [2, 3, 0, 1]) (await waiting[index])?.[Symbol.dispose]();
  expect(granted.slice(4)).toEqual(['greedy', 'greedy']);
  expect(slots.held).toBe(0);
});

test('an owner has its own number of slots, and is told so when too many of it wait', async () => {
  const slots = new FairSlots({ ...limits, atOnce: 10 });
  const first = await slots.take('a');
  const second = await slots.take('a');
  const waiting = [1, 2, 3].map(() => slots.take('a'));
  await expect(slots.take('a')).rejects.toMatchObject({ spec: { status: 429, code: 'TOO_MANY_READS' } });
  expect(slots.held).toBe(2);
  await slots.take('b');
  second[Symbol.dispose]();
  second[Symbol.dispose]();
  const third = await waiting[0];
  expect(slots.held).toBe(3);
  // A wait that nobody ends is an error a minute later, in whatever test runs by then.
  for (const slot of [first, third]) slot?.[Symbol.dispose]();
  await Promise.all(waiting);
  expect(slots.held).toBe(3);
});

test('a wait ends: by its time with 503 where others hold all slots, or when the client goes away', async () => {
  const slots = new FairSlots({ ...limits, atOnce: 1, maxWaitMs: 1 });
  const slot = await slots.take('a');
  await expect(slots.take('b')).rejects.toMatchObject({ spec: { status: 503, retryAfterSeconds: 2 } });
  const patient = new FairSlots({ ...limits, atOnce: 1 });
  const first = await patient.take('a');
  const gone = new AbortController();
  const left = patient.take('b', gone.signal);
  const next = patient.take('c');
  gone.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  first[Symbol.dispose]();
  (await next)[Symbol.dispose]();
  slot[Symbol.dispose]();
  expect([slots.held, patient.held]).toEqual([0, 0]);
});
