import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { NetworkIdle } from './network-idle.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

it('is idle after half a second without requests, not before the document was parsed', () => {
  let changes = 0;
  const idle = new NetworkIdle(() => (changes += 1));
  vi.advanceTimersByTime(1000);
  expect(idle.has(0)).toBe(false);
  idle.begin();
  vi.advanceTimersByTime(499);
  expect([idle.has(0), changes]).toEqual([false, 0]);
  vi.advanceTimersByTime(1);
  expect(idle.has(0)).toBe(true);
  expect(changes).toBeGreaterThan(0);
});

it('counts the time anew when a request begins', () => {
  const idle = new NetworkIdle(() => {});
  idle.begin();
  vi.advanceTimersByTime(400);
  idle.began('1');
  vi.advanceTimersByTime(400);
  expect([idle.has(0), idle.has(2)]).toEqual([false, true]);
  idle.ended('1');
  vi.advanceTimersByTime(400);
  expect(idle.has(0)).toBe(false);
  vi.advanceTimersByTime(100);
  expect(idle.has(0)).toBe(true);
});

it('allows two requests where two are allowed, and a redirect is the same request', () => {
  const idle = new NetworkIdle(() => {});
  idle.begin();
  for (const id of ['1', '2', '2', '3']) idle.began(id);
  vi.advanceTimersByTime(600);
  expect(idle.has(2)).toBe(false);
  idle.ended('3');
  vi.advanceTimersByTime(500);
  expect([idle.has(0), idle.has(2)]).toEqual([false, true]);
  idle.pause();
  expect(idle.has(2)).toBe(false);
  idle.close();
});
