import { afterEach, expect, test, vi } from 'vitest';
import { StatusLine } from '../terminal/status-line.ts';
import { requestsToAnswer, StoppingReport, sessionsToClose } from './show-stopping.ts';

afterEach(() => void vi.useRealTimers());

/** Stops 2 requests and 1 session, two seconds apart. */
function stop(isTTY: boolean): { lines: string[]; drawn: string[] } {
  vi.useFakeTimers();
  const lines: string[] = [];
  const drawn: string[] = [];
  const left = { requests: 2, sessions: 1 };
  using status = new StatusLine({ isTTY, columns: 80, write: (text) => drawn.push(text) });
  using report = new StoppingReport(status, (line) => void lines.push(line));
  report.start([requestsToAnswer(() => left.requests), sessionsToClose(() => left.sessions)]);
  vi.advanceTimersByTime(2000);
  left.requests = 0;
  vi.advanceTimersByTime(2000);
  left.sessions = 0;
  vi.advanceTimersByTime(2000);
  return { lines, drawn };
}

test('a log gets a line for what stopping waits for, at once and when it changes', () => {
  expect(stop(false)).toEqual({
    lines: ['Stopping: 2 requests and 1 session left.', 'Stopping: 1 session left.', 'Stopping.'],
    drawn: [],
  });
});

test('a terminal counts down in place, and says what a second Ctrl-C does', () => {
  const { lines, drawn } = stop(true);
  const again = 'Press Ctrl-C again to stop at once.';
  expect(drawn.map((text) => text.replace('\r\x1b[K', ''))).toEqual([
    `Stopping: 2 requests and 1 session left. ${again}`,
    `Stopping: 1 session left. ${again}`,
    `Stopping. ${again}`,
    '',
  ]);
  expect(lines).toEqual(['Stopped.']);
});
