import { expect, test } from 'vitest';
import { timelineOf } from './timeline.ts';

const session = {
  createdAt: '2026-11-16T10:00:00.000Z',
  expiresAt: '2026-11-16T12:00:00.000Z',
  connectedAt: null,
  disconnectedAt: null,
  endedAt: null,
  endReason: null,
  browserParams: { idleTimeout: 60 },
};
const endedAt = '2026-11-16T10:30:00.000Z';

test('a running session was created and will expire', () => {
  expect(timelineOf(session)).toEqual([
    { name: 'Created', at: session.createdAt },
    { name: 'Expires', at: session.expiresAt, ahead: true },
  ]);
});

test('an end says why, and an idle one since when', () => {
  expect(timelineOf({ ...session, endedAt, endReason: 'idle' }).slice(1)).toEqual([
    { name: 'Last used', at: '2026-11-16T10:29:00.000Z', note: 'idle for 1 min after this' },
    { name: 'Ended', at: endedAt, note: 'idle timeout' },
  ]);
  expect(timelineOf({ ...session, endedAt, endReason: 'client_close' }).at(-1)).toEqual({
    name: 'Closed',
    at: endedAt,
    note: 'closed by the account',
  });
  expect(
    timelineOf({ ...session, endedAt, endReason: 'browser_crashed', endSignal: 'SIGSEGV' }).at(-1)?.note,
  ).toBe('browser crashed (SIGSEGV)');
});

test('a session whose clients connected and left says when', () => {
  const connectedAt = '2026-11-16T10:00:05.000Z';
  const disconnectedAt = '2026-11-16T10:20:00.000Z';
  expect(timelineOf({ ...session, connectedAt }).slice(1, -1)).toEqual([
    { name: 'Connected', at: connectedAt, note: 'first client' },
  ]);
  expect(
    timelineOf({ ...session, connectedAt, disconnectedAt, endedAt, endReason: 'idle' }).map(
      ({ name }) => name,
    ),
  ).toEqual(['Created', 'Connected', 'Disconnected', 'Last used', 'Ended']);
});
