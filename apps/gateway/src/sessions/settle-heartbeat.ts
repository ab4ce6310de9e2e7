import type { EndedBrowser } from '@turnpike/contract/host';
import type { Heartbeat } from '@turnpike/contract/host/heartbeat';
import { tellProxyNews } from '../ledger/proxy-news-store.ts';
import { recordMeteredBytes, recordSavings, recordSessionBytes } from '../ledger/session-bytes-store.ts';
import type { RunningTraffic } from '../ledger/traffic-store.ts';
import type { HeartbeatReport, SettledHeartbeat } from '../seams/host-reports.ts';
import { isStoreOutage } from '../store/outage.ts';
import type { SessionRow } from '../store/tables.ts';
import { endAndLog, endingOf } from './end-session.ts';
import { forEachSession } from './for-each-session.ts';
import { activeSessionsOfHost, neededAmong } from './reaper-store.ts';
import { changedClients, type SessionClients } from './session-clients.ts';
import { recordSessionClients } from './session-clients-store.ts';
import type { SessionContext } from './session-context.ts';
import { findSessionById } from './session-store.ts';
import { recordStandby } from './standby/standby-store.ts';

/** A session is ACTIVE in the store a moment after its browser is up, and heartbeats take time to arrive. */
const reconcileAfterMs = 5000;

/** Compares what a host says it runs with the store, and settles the differences. */
export async function settleHeartbeat(
  context: SessionContext,
  { beat, receivedAt, formerHeartbeatAt }: HeartbeatReport,
): Promise<SettledHeartbeat> {
  const { db, metrics } = context;
  const acknowledged = await settleEndings(context, beat);
  const running = new Map(beat.running.map((browser) => [browser.sessionId, browser]));
  const reported = new Set(beat.endings.map(({ sessionId }) => sessionId));
  const settledBefore = Math.min(receivedAt, beat.sentAt) - reconcileAfterMs;
  const changed: ChangedBytes[] = [];
  const clients: SessionClients[] = [];
  const saved: { id: string; savings: string }[] = [];
  await forEachSession(context, await activeSessionsOfHost(db, beat.name), async (session) => {
    if (session.host_boot !== beat.boot) {
      // An earlier run of this host died with its sessions.
      const endedAt = formerHeartbeatAt ?? receivedAt;
      await endAndLog(context, session, { status: 'DEAD', endedAt, reason: 'host_lost' });
      return;
    }
    const browser = running.get(session.id);
    running.delete(session.id);
    if (browser) {
      changed.push(...changedBytes(session, browser));
      clients.push(...changedClients(session, browser, receivedAt));
      saved.push(...changedSavings(session, browser));
      await recordStandby(context, session, browser.standby, receivedAt);
      await tellProxyNews(context, session, browser.traffic?.proxies, receivedAt);
    } else if (session.created_at < settledBefore && !reported.has(session.id)) {
      metrics.lease('session_missing');
      await endAndLog(context, session, { status: 'DEAD', endedAt: receivedAt, reason: 'browser_crashed' });
    }
  });
  await storeBytes(context, changed, receivedAt);
  await recordSessionClients(db, clients);
  await recordSavings(db, saved);
  const needed = await neededAmong(db, [...running.keys()]);
  return { acknowledged, end: [...running.keys()].filter((id) => !needed.has(id)) };
}

/** Answers which endings are stored. One whose create is still in progress is not among them. */
async function settleEndings(context: SessionContext, beat: Heartbeat): Promise<string[]> {
  const settled: string[] = [];
  const endings = beat.endings.map((ended) => ({ id: ended.sessionId, ended }));
  await forEachSession(context, endings, async ({ id, ended }) => {
    if (await settleEnding(context, ended)) settled.push(id);
  });
  return settled;
}

/** Ends the session of a browser that ended. False: its create is still in progress, so the host must report again. */
async function settleEnding(context: SessionContext, ended: EndedBrowser): Promise<boolean> {
  const session = await findSessionById(context.db, ended.sessionId);
  if (session?.state === 'STARTING') return false;
  if (session?.state === 'ACTIVE') await endAndLog(context, session, endingOf(context, ended));
  return true;
}

type ChangedBytes = RunningTraffic & { isMetered: boolean };

function changedBytes(session: SessionRow, browser: Heartbeat['running'][number]): ChangedBytes[] {
  const { sessionId: id, bytesUp, bytesDown, traffic } = browser;
  if (!traffic && bytesUp === session.bytes_up && bytesDown === session.bytes_down) return [];
  const isMetered = session.metered_product !== null;
  return [{ id, bytesUp, bytesDown, ...(traffic && { traffic }), isMetered }];
}

function changedSavings(
  session: SessionRow,
  { savings }: Heartbeat['running'][number],
): { id: string; savings: string }[] {
  const json = savings && JSON.stringify(savings);
  return json === undefined || json === session.savings ? [] : [{ id: session.id, savings: json }];
}

/** Stores counters in bulk. If that fails, one by one, so that only the session whose counters are bad loses them. */
async function storeBytes(
  context: SessionContext,
  changed: readonly ChangedBytes[],
  now: number,
): Promise<void> {
  const store = async (bytes: readonly ChangedBytes[]) => {
    const { metered = [], plain = [] } = Object.groupBy(bytes, ({ isMetered }) =>
      isMetered ? 'metered' : 'plain',
    );
    await recordSessionBytes(context.db, plain, now);
    await recordMeteredBytes(context, metered, now);
  };
  try {
    await store(changed);
  } catch (error) {
    if (isStoreOutage(error)) throw error;
    await forEachSession(context, changed, (bytes) => store([bytes]));
  }
}
