import type { Heartbeat, HeartbeatAnswer } from '@turnpike/contract/host/heartbeat';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BeatRepeater, repeatOf } from './beat-repeater.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const beat: Heartbeat = {
  name: 'a',
  boot: '0'.repeat(16),
  seq: 7,
  sentAt: 1000,
  joining: false,
  phase: 'up',
  publicUrl: 'ws://a',
  privateUrl: 'http://a',
  region: null,
  seats: 10,
  used: 2,
  chromiumVersion: '156',
  serviceVersion: '1',
  running: [
    { sessionId: 'one', bytesUp: 1, bytesDown: 2, connectedAgoMs: 50 },
    { sessionId: 'two', bytesUp: 3, bytesDown: 4, connectedAgoMs: 50, disconnectedAgoMs: 10 },
  ],
  endings: [{ sessionId: 'three', cause: 'gone', agoMs: 5, bytesUp: 0, bytesDown: 0, connectedAgoMs: 9 }],
};
const accepted: HeartbeatAnswer = { outcome: 'accepted', acknowledged: [], end: [], draining: false };

function repeater(answer: () => HeartbeatAnswer | undefined = () => accepted) {
  const sent: Heartbeat[] = [];
  const made = new BeatRepeater({
    heartbeatMs: 2000,
    leaseMs: 10_000,
    onRepeated: () => {},
    async send(one) {
      sent.push(one);
      const said = answer();
      if (!said) throw new Error('no gateway answers');
      return said;
    },
  });
  return { sent, deliver: (one = beat) => made.deliver(one), stop: () => made.stop() };
}

test('a repeat is later, offers no seat, and says nothing of sessions that began after its report', () => {
  expect(repeatOf(beat, 3, 4000.4)).toEqual({
    ...beat,
    seq: 10,
    seats: 0,
    sentAt: 1000,
    running: [
      { sessionId: 'one', bytesUp: 1, bytesDown: 2, connectedAgoMs: 4050 },
      { sessionId: 'two', bytesUp: 3, bytesDown: 4, connectedAgoMs: 4050, disconnectedAgoMs: 4010 },
    ],
    // The times of an ended browser's clients are counted from its end.
    endings: [
      { sessionId: 'three', cause: 'gone', agoMs: 4005, bytesUp: 0, bytesDown: 0, connectedAgoMs: 9 },
    ],
  });
});

test('reports that come in time are sent once each, in growing numbers', async () => {
  const { sent, deliver, stop } = repeater();
  for (const seq of [1, 2, 3]) {
    await deliver({ ...beat, seq });
    await vi.advanceTimersByTimeAsync(3900);
  }
  stop();
  expect(sent.map(({ seats }) => seats)).toEqual([10, 10, 10]);
  expect(sent.map(({ seq }) => seq)).toEqual([100, 200, 300]);
});

test('the last report is sent again for three leases, whether gateways answer or not, and then no more', async () => {
  for (const answer of [accepted, undefined]) {
    let said: HeartbeatAnswer | undefined = accepted;
    const { sent, deliver } = repeater(() => said);
    await deliver();
    said = answer;
    await vi.advanceTimersByTimeAsync(120_000);
    const gapMs = answer ? 2000 : 1000;
    expect(sent).toHaveLength(1 + Math.floor((30_000 - 4000) / gapMs) + 1);
    expect(new Set(sent.slice(1).map(({ seats }) => seats))).toEqual(new Set([0]));
    expect(sent.at(-1)?.seq).toBeLessThan(800);
    const before = sent.length;
    await deliver({ ...beat, seq: 8 }).catch(() => {});
    expect(sent[before]).toMatchObject({ seq: 800, seats: 10 });
  }
});

test('nothing is repeated before the host has joined, after its last report, or once it is refused', async () => {
  const first = repeater(() => undefined);
  await first.deliver({ ...beat, joining: true }).catch(() => {});
  const last = repeater();
  await last.deliver({ ...beat, phase: 'left' });
  let outcome: HeartbeatAnswer = accepted;
  const removed = repeater(() => outcome);
  await removed.deliver();
  outcome = { outcome: 'removed' };
  await vi.advanceTimersByTimeAsync(60_000);
  expect([first.sent.length, last.sent.length, removed.sent.length]).toEqual([1, 1, 2]);
});
