import { heartbeatMs, leaseMs } from '@turnpike/contract/heartbeat';
import type { RunningHost } from '@turnpike/contract/host';
import { Membership } from '@turnpike/process/cluster/membership';
import type { Gateway } from '../gateway.ts';
import { closeAbandoned, markHangUp } from '../sessions/close-session.ts';
import { eachApart, endAndLog } from '../sessions/end-session.ts';
import { pruneKeys } from '../sessions/idempotency-store.ts';
import { pruneWaiting } from '../sessions/wait-queue-store.ts';
import { abandonedSessions, overdueSessions, reapStarting, sessionsOfLostHosts } from './host-store.ts';
import { recordHeartbeat } from './record-heartbeat.ts';

/** A host ends its sessions by itself; the store steps in when that word did not come. */
const expiryGraceMs = 5000;
/** For the last endings of the hosts in this process to reach the store. */
const farewellMs = 10_000;

/** The heartbeats of the hosts in this process, and the reaper for all that nobody else will end. */
export class Leases {
  readonly #gateway: Gateway;
  readonly #watch = new StoreWatch();
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> | undefined;
  /** Abandoned sessions that are being closed, which takes as long as their hosts do. */
  readonly #closing = new Map<string, Promise<void>>();

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /** Lets a host of this process take work. */
  async join(host: RunningHost): Promise<void> {
    const { logger, now, hosts } = this.#gateway;
    const send = (beat: Parameters<typeof recordHeartbeat>[1]) => recordHeartbeat(this.#gateway, beat);
    const membership = new Membership({ host, privateUrl: null, send, logger, now });
    await membership.beat();
    membership.start();
    hosts.join({ host, membership });
  }

  start(): void {
    this.#watch.succeeded(this.#gateway.now());
    this.#timer = setInterval(() => {
      // One that waits for the store is enough.
      this.#turn ??= this.#tryTick().finally(() => {
        this.#turn = undefined;
      });
    }, heartbeatMs);
  }

  /** The time of before says nothing now: hosts get a whole lease to be heard of by the new one. */
  clockJumped(): void {
    this.#watch.failed();
  }

  /** Heartbeats first: a process that was paused must not find its own hosts lost. */
  async tick(): Promise<void> {
    const beat = () => Promise.all(this.#gateway.hosts.local().map(({ membership }) => membership.beat()));
    await beat();
    if (await this.#reap()) await beat();
  }

  /** The hosts of this process are down: what they had to say is stored. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#turn;
    await Promise.all(this.#closing.values());
    await Promise.all(this.#gateway.hosts.local().map(({ membership }) => membership.leave(farewellMs)));
  }

  async #tryTick(): Promise<void> {
    try {
      await this.tick();
    } catch (error) {
      this.#watch.failed();
      this.#gateway.metrics.lease('keeping_failed');
      this.#gateway.logger.warn({ err: error }, 'leases could not be kept; trying again');
    }
  }

  /** On any number of gateways at once: each end is conditional. Answers whether there was something to end. */
  async #reap(): Promise<boolean> {
    const gateway = this.#gateway;
    const { db, logger, metrics } = gateway;
    const now = gateway.now();
    const starting = await reapStarting(db, now);
    for (const sessionId of starting) {
      metrics.lease('create_reaped');
      logger.warn({ sessionId }, 'reaped a create that was never finished');
    }
    // When it answered, not when it was asked: it may have stood still in between.
    this.#watch.succeeded(gateway.now());
    const ended = this.#watch.sawAll(now) ? await this.#reapSilent(now) : 0;
    await this.#reapAbandoned();
    await pruneKeys(db, now);
    await pruneWaiting(db, now);
    return starting.length + ended > 0;
  }

  /** What hosts have said nothing of. How an overdue session ended its host knows better, if it lives. */
  async #reapSilent(now: number): Promise<number> {
    const gateway = this.#gateway;
    const { db, metrics } = gateway;
    const lost = await sessionsOfLostHosts(db, now - leaseMs);
    await eachApart(gateway, lost, async (session) => {
      metrics.lease('session_of_lost_host');
      const endedAt = session.heartbeat_at;
      await endAndLog(gateway, session, { status: 'DEAD', endedAt, reason: 'host_lost' });
    });
    const overdue = await overdueSessions(db, now - expiryGraceMs);
    await eachApart(gateway, overdue, async (session) => {
      metrics.lease('session_overdue');
      const endedAt = session.expires_at;
      await endAndLog(gateway, session, { status: 'EXPIRED', endedAt, reason: 'lifetime' });
    });
    return lost.length + overdue.length;
  }

  /** Hang-ups that the store could not be told of, and sessions that could not be closed then. */
  async #reapAbandoned(): Promise<void> {
    const gateway = this.#gateway;
    const hangUps = [...gateway.hangUps.values()].map((hangUp) => ({ id: hangUp.session.id, hangUp }));
    await eachApart(gateway, hangUps, async ({ hangUp }) => {
      await markHangUp(gateway, hangUp);
    });
    for (const session of await abandonedSessions(gateway.db)) {
      if (this.#closing.has(session.id)) continue;
      gateway.metrics.lease('session_abandoned');
      const closed = closeAbandoned(gateway, session).finally(() => this.#closing.delete(session.id));
      this.#closing.set(session.id, closed);
    }
  }
}

/**
 * Since when this gateway has had the store without a gap. A heartbeat that is old because the store, or every
 * gateway, was away says nothing about its host: hosts get a whole lease to be heard of again.
 */
class StoreWatch {
  #since: number | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;

  succeeded(now: number): void {
    const gapMs = performance.now() - this.#lastAt;
    if (this.#since === undefined || gapMs > leaseMs / 2) this.#since = now;
    this.#lastAt = performance.now();
  }

  failed(): void {
    this.#since = undefined;
  }

  sawAll(now: number): boolean {
    return this.#since !== undefined && now - this.#since >= leaseMs;
  }
}
