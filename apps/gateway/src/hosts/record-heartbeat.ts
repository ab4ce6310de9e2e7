import {
  type Heartbeat,
  type HeartbeatAnswer,
  leaseMs,
  type ReportedEnding,
} from '@turnpike/contract/heartbeat';
import type { RunningBrowser } from '@turnpike/contract/host';
import { endingOfReport } from '@turnpike/process/cluster/membership';
import type { Gateway } from '../gateway.ts';
import { eachApart, endAndLog, settleReportedEnd } from '../sessions/end-session.ts';
import { type RunningBytes, recordMeteredBytes, recordSessionBytes } from '../sessions/session-store.ts';
import { isStoreOutage } from '../store/outage.ts';
import type { SessionRow } from '../store/tables.ts';
import {
  activeSessionsOfHost,
  findHost,
  neededAmong,
  recordHeartbeat as record,
  takeOverHost,
} from './host-store.ts';

/** A session is ACTIVE in the store a moment after its browser is up; and beats take their time. */
const reconcileAfterMs = 5000;

/**
 * Takes what a host says and answers what it is to do. Every step is conditional or repeatable, so a beat that
 * breaks off in the middle is made good by the next one.
 */
export async function recordHeartbeat(gateway: Gateway, beat: Heartbeat): Promise<HeartbeatAnswer> {
  const { db, metrics } = gateway;
  const now = gateway.now();
  let host = await record(db, beat, now);
  if (!host) {
    const refused = await takeName(gateway, beat, now);
    if (refused) {
      if (refused.outcome !== 'stale') metrics.lease('name_taken');
      return refused;
    }
    host = await findHost(db, beat.name);
  }
  metrics.lease('heartbeat');
  const acknowledged = await takeEndings(gateway, beat);
  const running = new Map(beat.running.map((browser) => [browser.sessionId, browser]));
  const reported = new Set(beat.endings.map(({ sessionId }) => sessionId));
  const settledBefore = Math.min(now, beat.sentAt) - reconcileAfterMs;
  const moved: MovedBytes[] = [];
  await eachApart(gateway, await activeSessionsOfHost(db, beat.name), async (session) => {
    if (session.host_boot !== beat.boot) {
      // An earlier run of this host died with its sessions.
      const endedAt = host?.former_heartbeat_at ?? now;
      await endAndLog(gateway, session, { status: 'DEAD', endedAt, reason: 'host_lost' });
      return;
    }
    const browser = running.get(session.id);
    running.delete(session.id);
    if (browser) moved.push(...movedBytes(session, browser));
    else if (session.created_at < settledBefore && !reported.has(session.id)) {
      metrics.lease('session_missing');
      await endAndLog(gateway, session, { status: 'DEAD', endedAt: now, reason: 'browser_crashed' });
    }
  });
  await takeBytes(gateway, moved, now);
  const needed = await neededAmong(db, [...running.keys()]);
  const end = [...running.keys()].filter((id) => !needed.has(id));
  return { outcome: 'accepted', acknowledged, end, draining: host?.state === 'draining', at: gateway.now() };
}

/** Undefined: the run has the name now. */
async function takeName({ db }: Gateway, beat: Heartbeat, now: number): Promise<HeartbeatAnswer | undefined> {
  const host = await findHost(db, beat.name);
  if (host?.boot === beat.boot) return { outcome: host.state === 'removed' ? 'removed' : 'stale' };
  // A run that had joined and finds another in its place is the older one.
  if (host && !beat.joining) return { outcome: 'superseded' };
  const taken = await takeOverHost(db, beat, { now, lostBefore: now - leaseMs });
  return taken ? undefined : { outcome: 'name-taken' };
}

/** Answers those that the host may forget. One whose create is still under way is not among them. */
async function takeEndings(gateway: Gateway, beat: Heartbeat): Promise<string[]> {
  const settled: string[] = [];
  const reports = beat.endings.map((report: ReportedEnding) => ({ id: report.sessionId, report }));
  await eachApart(gateway, reports, async ({ id, report }) => {
    if (await settleReportedEnd(gateway, endingOfReport(report))) settled.push(id);
  });
  return settled;
}

type MovedBytes = RunningBytes & { isMetered: boolean };

function movedBytes(session: SessionRow, { bytesUp, bytesDown }: RunningBrowser): MovedBytes[] {
  if (bytesUp === session.bytes_up && bytesDown === session.bytes_down) return [];
  return [{ id: session.id, bytesUp, bytesDown, isMetered: session.metered_product !== null }];
}

/** All at once; where that fails one by one, so that only the session whose counters cannot be kept goes without. */
async function takeBytes(gateway: Gateway, moved: readonly MovedBytes[], now: number): Promise<void> {
  const { db } = gateway;
  const take = async (bytes: readonly MovedBytes[]) => {
    const { metered = [], plain = [] } = Object.groupBy(bytes, ({ isMetered }) =>
      isMetered ? 'metered' : 'plain',
    );
    await recordSessionBytes(db, plain);
    await recordMeteredBytes(db, metered, now);
  };
  try {
    await take(moved);
  } catch (error) {
    if (isStoreOutage(error)) throw error;
    await eachApart(gateway, moved, (bytes) => take([bytes]));
  }
}
