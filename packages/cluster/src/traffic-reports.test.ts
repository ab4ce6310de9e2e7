import type { RunningBrowser, RunningHost } from '@turnpike/contract/host';
import { noUse, type TrafficReport, withLargest } from '@turnpike/contract/traffic';
import { expect, it } from 'vitest';
import { boundedTraffic, TrafficReports } from './traffic-reports.ts';

/** A session with that many destinations of a byte each. */
function reportOf(count: number): TrafficReport {
  const destinations = Array.from({ length: count }, (_, i) => ({
    host: `h${i}.test`,
    port: 443,
    ...noUse(),
    bytesUp: 1,
    firstAgoMs: 0,
    lastAgoMs: 0,
  }));
  const whole = { bytesUp: count, bytesDown: 0, bytesFromCache: 0, maxBytesReached: false };
  return { ...whole, destinations, other: noUse() };
}

function hostWith(sessions: Map<string, TrafficReport>, uses = 1) {
  const host = {
    uses,
    list: (): RunningBrowser[] =>
      Array.from(sessions, ([sessionId, { bytesUp, bytesDown }]) => ({
        sessionId,
        bytesUp,
        bytesDown,
        uses: host.uses,
      })),
    readTraffic(sessionId: string, max: number) {
      const report = sessions.get(sessionId);
      return report && { ...report, ...withLargest(report, max) };
    },
  };
  return host;
}
const reportsOf = (host: object) => new TrafficReports(host as RunningHost);

it('carries the traffic of a session until it was accepted, and again when it has changed', () => {
  const sessions = new Map([
    ['a', reportOf(2)],
    ['b', reportOf(3)],
  ]);
  const host = hostWith(sessions);
  const reports = reportsOf(host);
  const carried = () => reports.running().flatMap(({ sessionId, traffic }) => (traffic ? [sessionId] : []));
  expect(carried()).toEqual(['a', 'b']);
  expect(carried()).toEqual(['a', 'b']);
  reports.accepted();
  expect(carried()).toEqual([]);
  sessions.set('b', reportOf(4));
  expect(carried()).toEqual(['b']);
  reports.accepted();
  // A refusal sends no byte.
  host.uses += 1;
  expect(carried()).toEqual(['a', 'b']);
  expect(reports.running()[0]).not.toHaveProperty('uses');
});

it.each([1, 2, 50, 200])('of %i sessions names at most 3,000 destinations, and all bytes', (count) => {
  const sessions = new Map(Array.from({ length: count }, (_, i) => [`s${i}`, reportOf(1000)]));
  const running = reportsOf(hostWith(sessions)).running();
  const endings = boundedTraffic(
    Array.from(sessions, ([sessionId, traffic]) => ({
      sessionId,
      cause: 'closed' as const,
      agoMs: 0,
      bytesUp: traffic.bytesUp,
      bytesDown: 0,
      traffic,
    })),
  );
  for (const list of [running, endings]) {
    expect(list).toHaveLength(count);
    const named = list.reduce((sum, { traffic }) => sum + (traffic?.destinations.length ?? 0), 0);
    expect(named).toBeLessThanOrEqual(3000);
    for (const { traffic } of list) {
      expect((traffic?.destinations.length ?? 0) + (traffic?.other.bytesUp ?? 0)).toBe(1000);
    }
  }
});
