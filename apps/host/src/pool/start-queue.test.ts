import { expect, test, vi } from 'vitest';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import type { Shape } from '../chromium/browser-start.ts';
import { startInTime } from './start-in-time.ts';
import { StartQueue, type StartSlot } from './start-queue.ts';

watchLeaks();

const never = new AbortController().signal;

/** A queue with a clock that stands still until it is told otherwise. */
function stoppedQueue(atOnce: number) {
  let now = 0;
  const waits: number[] = [];
  const queue = new StartQueue({ atOnce, now: () => now, onAcquired: (waitedMs) => waits.push(waitedMs) });
  const slots: { name: string; slot: StartSlot }[] = [];
  const refused: string[] = [];
  return {
    queue,
    slots,
    refused,
    waits,
    advance: (ms: number) => {
      now += ms;
    },
    ask(name: string, { shape = 'headless' as Shape, timeMs = 30_000, signal = never, accountId = '' } = {}) {
      return queue.acquire({ shape, accountId, deadline: now + timeMs, signal }).then(
        (slot) => void slots.push({ name, slot }),
        (error) => void refused.push(`${name} ${error.code ?? error.message}`),
      );
    },
    /** What is decided by now is known after this. */
    settled: () => new Promise((resolve) => setImmediate(resolve)),
    end: (name: string) => slots.find((entry) => entry.name === name)?.slot.release('up'),
  };
}

const names = ({ slots }: { slots: { name: string }[] }) => slots.map(({ name }) => name);

test('as many start as may, and the others in the order in which they came', async () => {
  const queue = stoppedQueue(2);
  for (const name of ['a', 'b', 'c', 'd']) void queue.ask(name);
  await queue.settled();
  expect([names(queue), queue.queue.counts]).toEqual([['a', 'b'], { waiting: 2, running: 2 }]);
  queue.advance(1000);
  queue.end('b');
  await queue.settled();
  expect(names(queue)).toEqual(['a', 'b', 'c']);
  queue.end('a');
  await queue.settled();
  expect(names(queue)).toEqual(['a', 'b', 'c', 'd']);
  expect(queue.waits).toEqual([0, 0, 1000, 1000]);
});

test("one account's flood is behind another's next start, and it is the flood's last ones that are refused", async () => {
  const queue = stoppedQueue(1);
  const flood = { accountId: 'flood', timeMs: 20_000 };
  for (let index = 0; index < 100; index += 1) void queue.ask(`flood ${index}`, flood);
  await queue.settled();
  const { waiting } = queue.queue.counts;
  for (const name of ['first', 'second', 'third'])
    void queue.ask(name, { accountId: 'other', timeMs: 20_000 });
  await queue.settled();
  // They came last, and what they displaced was at the end of the flood.
  expect(queue.refused.filter((text) => !text.startsWith('flood'))).toEqual([]);
  expect(queue.refused.at(-1)).toBe(`flood ${waiting - 2} NO_SEAT`);
  for (const name of ['flood 0', 'first', 'flood 1', 'second', 'flood 2', 'third']) {
    expect(names(queue).at(-1)).toBe(name);
    queue.end(name);
    await queue.settled();
  }
});

test('one that is given up while it waits leaves, and nobody waits for it', async () => {
  const queue = stoppedQueue(1);
  const cancel = new AbortController();
  void queue.ask('a');
  void queue.ask('b', { signal: cancel.signal });
  void queue.ask('c');
  cancel.abort(new Error('hung up'));
  await queue.settled();
  expect([queue.refused, queue.queue.counts]).toEqual([['b hung up'], { waiting: 1, running: 1 }]);
  queue.end('a');
  await queue.settled();
  expect(names(queue)).toEqual(['a', 'c']);
});

test('whoever cannot be up in time is refused when it comes, and those before it are not', async () => {
  const queue = stoppedQueue(2);
  for (let index = 0; index < 100; index += 1) void queue.ask(String(index), { timeMs: 20_000 });
  await queue.settled();
  const { waiting, running } = queue.queue.counts;
  expect(running).toBe(2);
  expect(waiting).toBeGreaterThan(20);
  expect(waiting).toBeLessThan(50);
  expect(queue.refused).toEqual(
    Array.from({ length: 100 - waiting - running }, (_, index) => `${index + waiting + running} NO_SEAT`),
  );
});

test('when starts slot out to take longer, the last ones are refused at once and not at their deadline', async () => {
  const queue = stoppedQueue(1);
  for (let index = 0; index < 10; index += 1) void queue.ask(String(index), { timeMs: 20_000 });
  await queue.settled();
  expect(queue.refused).toEqual([]);
  queue.advance(8000);
  queue.end('0');
  await queue.settled();
  expect(queue.refused.length).toBeGreaterThan(3);
  expect(queue.refused.at(-1)).toBe('9 NO_SEAT');
  expect(names(queue)).toEqual(['0', '1']);
});

test('starts that go on together count for their share of the time', async () => {
  const queue = stoppedQueue(4);
  for (let round = 0; round < 20; round += 1) {
    const own = [0, 1, 2, 3].map((index) => `${round}-${index}`);
    for (const name of own) void queue.ask(name);
    await queue.settled();
    queue.advance(2000);
    for (const name of own) queue.end(name);
  }
  // Half a second each: of those that have 21 seconds, about 30 can be served.
  for (let index = 0; index < 100; index += 1) void queue.ask(`last ${index}`, { timeMs: 21_000 });
  await queue.settled();
  const { waiting, running } = queue.queue.counts;
  expect(waiting + running).toBeGreaterThan(22);
  expect(waiting + running).toBeLessThan(42);
});

test('a start that fails at once does not make starts look quick', async () => {
  const queue = stoppedQueue(1);
  for (let round = 0; round < 20; round += 1) {
    void queue.ask(String(round));
    await queue.settled();
    queue.slots.at(-1)?.slot.release('failed');
  }
  for (let index = 0; index < 100; index += 1) void queue.ask(`last ${index}`, { timeMs: 20_000 });
  await queue.settled();
  expect(queue.refused.length).toBeGreaterThan(50);
});

test('what starts took a while ago does not count', async () => {
  const queue = stoppedQueue(1);
  void queue.ask('slow');
  await queue.settled();
  queue.advance(20_000);
  queue.end('slow');
  queue.advance(16_000);
  for (let index = 0; index < 10; index += 1) void queue.ask(String(index), { timeMs: 20_000 });
  await queue.settled();
  expect(queue.refused).toEqual([]);
});

test('a start knows that others came, even when those were refused at once', async () => {
  const queue = stoppedQueue(1);
  void queue.ask('a');
  await queue.settled();
  expect(queue.slots[0]?.slot.contended).toBe(false);
  void queue.ask('b', { timeMs: 100 });
  await queue.settled();
  expect([queue.refused, queue.slots[0]?.slot.contended]).toEqual([['b NO_SEAT'], true]);
});

test('what is in no hurry starts only where nobody waits and there is room', async () => {
  const queue = stoppedQueue(2);
  const first = queue.queue.tryAcquire('headful');
  expect(first).toBeDefined();
  void queue.ask('a');
  await queue.settled();
  expect(names(queue)).toEqual(['a']);
  expect(queue.queue.tryAcquire('headful')).toBeUndefined();
  void queue.ask('b');
  first?.release('up');
  await queue.settled();
  expect(names(queue)).toEqual(['a', 'b']);
});

test('one that waits while no start ends is refused before its deadline', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const queue = new StartQueue({ atOnce: 1 });
    const acquire = () =>
      queue.acquire({
        shape: 'headless',
        accountId: '',
        deadline: performance.now() + 10_000,
        signal: never,
      });
    await acquire();
    const refused = expect(acquire()).rejects.toMatchObject({ code: 'NO_SEAT' });
    await vi.advanceTimersByTimeAsync(9000);
    await refused;
  } finally {
    vi.useRealTimers();
  }
});

test('a start that is late is refused where others start beside it, and has failed where it is alone', async () => {
  const hanging = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const told: string[] = [];
  const late = (queue: StartQueue) =>
    startInTime(
      queue,
      {
        shape: 'headless',
        accountId: '',
        deadline: performance.now() + 1100,
        signal: never,
        giveUp: (reason) => told.push(reason.code),
      },
      hanging,
    );
  await expect(late(new StartQueue({ atOnce: 2 }))).rejects.toMatchObject({ code: 'START_FAILED' });
  const shared = new StartQueue({ atOnce: 2 });
  const both = await Promise.allSettled([late(shared), late(shared)]);
  expect(both).toMatchObject([{ reason: { code: 'NO_SEAT' } }, { reason: { code: 'NO_SEAT' } }]);
  expect(told).toEqual(['START_FAILED', 'NO_SEAT', 'NO_SEAT']);
  expect(shared.counts).toEqual({ waiting: 0, running: 0 });
});
