import { expect, test, vi } from 'vitest';
import { WakeQueue } from './wake-queue.ts';

const never = new AbortController().signal;
const wake = (accountId: string, bytes = 1, signal = never) => ({
  accountId,
  swappedBytes: () => bytes,
  signal,
});

async function order(queue: WakeQueue, wakes: ReturnType<typeof wake>[]): Promise<string[]> {
  const order: string[] = [];
  await Promise.all(
    wakes.map(async (each) => {
      using _ = await queue.acquire(each);
      order.push(each.accountId);
    }),
  );
  return order;
}

test('an account that wakes many delays another by one of them', async () => {
  const queue = new WakeQueue({ atOnce: 1, availableBytes: () => 100, reserveBytes: 0 });
  expect(await order(queue, [...Array(20).fill(wake('herd')), wake('other')])).toEqual([
    ...['herd', 'other', ...Array(19).fill('herd')],
  ]);
});

test('no more wake at once than may, and one that gives up leaves its place', async () => {
  const queue = new WakeQueue({ atOnce: 2, availableBytes: () => 100, reserveBytes: 0 });
  const [first, second] = [await queue.acquire(wake('a')), await queue.acquire(wake('a'))];
  const gone = new AbortController();
  const third = queue.acquire(wake('b', 1, gone.signal));
  const fourth = queue.acquire(wake('c'));
  expect(queue.waiting).toBe(2);
  gone.abort(new Error('it has ended'));
  await expect(third).rejects.toThrow('it has ended');
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  (await fourth)[Symbol.dispose]();
  second[Symbol.dispose]();
  expect(queue.waiting).toBe(0);
});

test('what wakes fits into memory together, or waits until it does', async () => {
  vi.useFakeTimers();
  try {
    let available = 100;
    const queue = new WakeQueue({ atOnce: 8, availableBytes: () => available, reserveBytes: 10 });
    const first = await queue.acquire(wake('a', 50));
    let isAwake = false;
    const second = queue.acquire(wake('a', 50)).then((slot) => {
      isAwake = true;
      return slot;
    });
    await vi.advanceTimersByTimeAsync(1000);
    expect(isAwake).toBe(false); // 50 of the first and 10 of the reserve leave 40.
    available = 111;
    await vi.advanceTimersByTimeAsync(1000);
    expect(isAwake).toBe(true);
    for (const slot of [first, await second]) slot[Symbol.dispose]();
  } finally {
    vi.useRealTimers();
  }
});
