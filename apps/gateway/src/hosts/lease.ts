import { randomBytes } from 'node:crypto';
import type { BrowserHost } from '@turnpike/contract/host';
import type { Gateway } from '../gateway.ts';
import { pruneKeys } from '../sessions/idempotency-store.ts';
import { type Ending, endSession, recordSessionBytes } from '../sessions/session-store.ts';
import { pruneWaiting } from '../sessions/waiting-store.ts';
import type { SessionRow } from '../store/tables.ts';
import type { JoinedHost } from './host-registry.ts';
import {
  activeSessionsOfHost,
  findHost,
  overdueSessions,
  reapStarting,
  recordHeartbeat,
  registerHost,
  sessionsOfLostHosts,
} from './host-store.ts';

const heartbeatMs = 2000;
/** A host that is not heard of for this long is lost. */
const leaseMs = 10_000;
/** A host ends its sessions by itself; the store steps in when that word did not come. */
const expiryGraceMs = 5000;
/** A session is ACTIVE in the store a moment after its browser is up, never before. */
const reconcileAfterMs = 5000;

/** Lets a host take work. Sessions of an earlier run of it died with that run, at its last heartbeat. */
export async function joinHost(gateway: Gateway, host: BrowserHost): Promise<void> {
  const boot = randomBytes(8).toString('hex');
  const former = await findHost(gateway.db, host.name);
  const now = gateway.now();
  await registerHost(gateway.db, { name: host.name, boot, public_url: host.publicUrl, heartbeat_at: now });
  if (former) {
    for (const session of await activeSessionsOfHost(gateway.db, host.name)) {
      if (session.host_boot !== boot)
        await end(gateway, session, { status: 'DEAD', endedAt: former.heartbeat_at, reason: 'host_lost' });
    }
  }
  host.onEnded((ended) => gateway.endings.report(ended));
  gateway.hosts.join({ host, boot });
}

/** Heartbeats for the hosts that joined, and the reaper for all that nobody else will end. */
export function keepLeases(gateway: Gateway): AsyncDisposable {
  const { logger } = gateway;
  const stop = new AbortController();
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running
      .then(() => (stop.signal.aborted ? undefined : tick(gateway)))
      .catch((error) => {
        gateway.metrics.lease('keeping_failed');
        logger.warn({ err: error }, 'leases could not be kept; trying again');
      });
  }, heartbeatMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      stop.abort();
      await running;
    },
  };
}

/** Heartbeat first: a process that was paused must not find itself lost. */
export async function tick(gateway: Gateway): Promise<void> {
  for (const joined of gateway.hosts.all()) await heartbeat(gateway, joined);
  await gateway.endings.deliverAll();
  await reap(gateway);
}

async function heartbeat(gateway: Gateway, { host, boot }: JoinedHost): Promise<void> {
  const { db, endings, metrics } = gateway;
  const now = gateway.now();
  if (await recordHeartbeat(db, host.name, boot, now)) {
    metrics.lease('heartbeat');
  } else {
    metrics.lease('name_taken');
    gateway.logger.error(
      { host: host.name },
      "another process has taken this host's name; set TURNPIKE_HOST_NAME",
    );
  }
  const running = new Map((await host.list()).map((browser) => [browser.sessionId, browser]));
  const active = await activeSessionsOfHost(db, host.name);
  for (const session of active.filter((candidate) => candidate.host_boot === boot)) {
    const browser = running.get(session.id);
    if (!browser) {
      const settled = session.created_at < now - reconcileAfterMs && !endings.has(session.id);
      if (settled) {
        metrics.lease('session_missing');
        await end(gateway, session, { status: 'DEAD', endedAt: now, reason: 'browser_crashed' });
      }
    } else if (browser.bytesUp !== session.bytes_up || browser.bytesDown !== session.bytes_down) {
      await recordSessionBytes(db, session.id, browser, now);
    }
  }
}

async function reap(gateway: Gateway): Promise<void> {
  const { db, hosts, metrics } = gateway;
  const now = gateway.now();
  for (const sessionId of await reapStarting(db, now)) {
    metrics.lease('create_reaped');
    gateway.logger.warn({ sessionId }, 'reaped a create that was never finished');
    for (const { host } of hosts.all()) await host.close(sessionId);
  }
  for (const session of await overdueSessions(db, now - expiryGraceMs)) {
    metrics.lease('session_overdue');
    await end(gateway, session, { status: 'EXPIRED', endedAt: session.expires_at, reason: 'lifetime' });
    await hosts.find(session.host, session.host_boot)?.host.close(session.id);
  }
  for (const session of await sessionsOfLostHosts(db, now - leaseMs)) {
    metrics.lease('session_of_lost_host');
    await end(gateway, session, { status: 'DEAD', endedAt: session.heartbeat_at, reason: 'host_lost' });
  }
  await pruneKeys(db, now);
  await pruneWaiting(db, now);
}

async function end({ db, logger }: Gateway, session: SessionRow, ending: Ending): Promise<void> {
  await endSession(db, session, ending);
  logger.info(
    { sessionId: session.id, accountId: session.account_id, status: ending.status },
    'session ended',
  );
}
