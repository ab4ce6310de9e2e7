import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, test, vi } from 'vitest';
import { within } from './within.ts';

afterEach(() => void vi.useRealTimers());

test('it ends with the first of its signals, for the same reason', () => {
  const [one, other] = [new AbortController(), new AbortController()];
  using bounds = within(1000, one.signal, other.signal);
  other.abort(new Error('other'));
  one.abort(new Error('one'));
  expect(bounds.signal.reason).toEqual(new Error('other'));
  expect(bounds.isLate).toBe(false);
});

test('it has ended where one of them had', () => {
  using bounds = within(1000, AbortSignal.abort(new Error('before')));
  expect(bounds.signal.reason).toEqual(new Error('before'));
});

test('it ends when its time is up', () => {
  vi.useFakeTimers();
  using bounds = within(1000, new AbortController().signal);
  vi.advanceTimersByTime(999);
  expect(bounds.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(bounds.signal.reason).toMatchObject({ name: 'TimeoutError' });
  expect(bounds.isLate).toBe(true);
});

test('nothing of it stays, whatever it was given to', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const stop = new AbortController();
  const use = (): WeakRef<AbortSignal>[] => {
    using outer = within(60_000, stop.signal);
    using inner = within(60_000, AbortSignal.any([outer.signal, new AbortController().signal]));
    return [new WeakRef(outer.signal), new WeakRef(inner.signal)];
  };
  const used = Array.from({ length: 20 }, use).flat();
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  await expect
    .poll(() => {
      collect();
      return used.filter((each) => each.deref()).length;
    })
    .toBe(0);
});
