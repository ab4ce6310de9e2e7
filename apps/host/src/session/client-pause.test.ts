import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ClientPause } from './client-pause.ts';

const [ada, bob] = [
  { id: 'a1', name: 'ada@example.com' },
  { id: 'b1', name: 'bob@example.com' },
];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function newPause() {
  const told: string[] = [];
  const pause = new ClientPause(async (isPaused) => void told.push(isPaused ? 'keep back' : 'pass on'));
  pause.onChange((change, by) => void told.push(`${change} by ${by}`));
  return { pause, told };
}

it('is one person’s at a time, and another’s only after they have given it back', () => {
  const { pause, told } = newPause();
  void pause.take(ada);
  void pause.take(bob);
  pause.resume(bob.id);
  expect(pause.state).toEqual({ holder: ada, endsInMs: 600_000 });
  pause.resume(ada.id);
  expect(pause.state).toBeUndefined();
  void pause.take(bob);
  expect(pause.state?.holder).toBe(bob);
  pause.close();
  expect(told).toEqual([
    ...['keep back', 'paused by ada@example.com', 'pass on', 'resumed by ada@example.com'],
    ...['keep back', 'paused by bob@example.com', 'pass on', 'resumed by bob@example.com'],
  ]);
});

it('ends 30 seconds after its holder was last heard of', () => {
  const { pause } = newPause();
  void pause.take(ada);
  vi.advanceTimersByTime(29_000);
  pause.renew(ada.id);
  vi.advanceTimersByTime(29_000);
  expect(pause.isPaused).toBe(true);
  vi.advanceTimersByTime(1000);
  expect(pause.isPaused).toBe(false);
});

it('ends after 10 minutes though its holder is there, whose next renewal begins no other', () => {
  const { pause } = newPause();
  void pause.take(ada);
  for (let seconds = 0; seconds < 600; seconds += 10) {
    pause.renew(ada.id);
    expect(pause.isPaused).toBe(true);
    vi.advanceTimersByTime(10_000);
  }
  expect(pause.isPaused).toBe(false);
  pause.renew(ada.id);
  expect(pause.isPaused).toBe(false);
  void pause.take({ ...ada, id: 'a2' });
  expect(pause.isPaused).toBe(true);
  pause.close();
});
