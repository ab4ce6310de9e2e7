import { afterEach, expect, test, vi } from 'vitest';
import { browsersToClose, requestsToAnswer, StoppingReport } from './show-stopping.ts';

afterEach(() => void vi.useRealTimers());

test('the terminal shows what stopping waits for, at once and when it changes', () => {
  vi.useFakeTimers();
  const lines: string[] = [];
  const left = { requests: 2, browsers: 1 };
  using report = new StoppingReport((line) => void lines.push(line));
  report.start([requestsToAnswer(() => left.requests), browsersToClose(() => left.browsers)]);
  vi.advanceTimersByTime(2000);
  left.requests = 0;
  vi.advanceTimersByTime(2000);
  left.browsers = 0;
  vi.advanceTimersByTime(2000);
  expect(lines).toEqual([
    'Stopping. Waiting for 2 requests to be answered and 1 browser to close.',
    'Stopping. Waiting for 1 browser to close.',
    'Stopping.',
  ]);
});
