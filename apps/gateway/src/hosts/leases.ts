import { Membership } from '@turnpike/cluster/membership';
import type { RunningHost } from '@turnpike/contract/host';
import { type Heartbeat, heartbeatMs, leaseMs } from '@turnpike/contract/host/heartbeat';
import { Poll } from '@turnpike/process/poll';
import type { HostContext } from './host-context.ts';
import { sessionsOfLostHosts } from './host-store.ts';
import { recordHeartbeat } from './record-heartbeat.ts';
import { StoreWatch } from './store-watch.ts';

/** How long the last reports of the hosts in this process may take to reach the store. */
const leaveTimeoutMs = 10_000;

/** Sends the heartbeats of the hosts in this process, and reports which hosts' leases have lapsed. */
export class Leases {
  readonly #context: HostContext;
  readonly #watch = new StoreWatch();
  #poll: Poll | undefined;

  constructor(context: HostContext) {
    this.#context = context;
  }

  /** Lets a host of this process take work. */
  async join(host: RunningHost): Promise<void> {
    const { logger, now, hosts } = this.#context;
    const send = (beat: Heartbeat) => recordHeartbeat(this.#context, beat);
    const membership = new Membership({ host, privateUrl: null, send, logger, now });
    await membership.beat();
    membership.start();
    hosts.join({ host, membership });
  }

  start(): void {
    this.#watch.succeeded(this.#context.now());
    this.#poll = new Poll(
      heartbeatMs,
      () => this.tick(),
      (error) => {
        this.#watch.failed();
        this.#context.metrics.lease('keeping_failed');
        this.#context.logger.warn({ err: error }, 'could not keep leases; will retry');
      },
    );
  }

  /** After a jump of the clock old times say nothing: hosts get a whole lease to be heard of by the new time. */
  clockJumped(): void {
    this.#watch.failed();
  }

  /** Sends heartbeats first, so that a process that was paused does not count its own hosts as lost. */
  async tick(): Promise<void> {
    const beat = () => Promise.all(this.#context.hosts.local().map(({ membership }) => membership.beat()));
    await beat();
    if (await this.#reap()) await beat();
  }

  /** Stores the last reports of this process's hosts, which are down. */
  async stop(): Promise<void> {
    await this.#poll?.[Symbol.asyncDispose]();
    await this.#context.reports.idle();
    await Promise.all(this.#context.hosts.local().map(({ membership }) => membership.leave(leaveTimeoutMs)));
  }

  /** Runs on any number of gateways at once. Answers whether anything was ended. */
  async #reap(): Promise<boolean> {
    const { db, reports } = this.#context;
    const now = this.#context.now();
    const creates = await reports.releaseLateCreates(now);
    // The time of the answer, not of the question: the process may have been paused in between.
    this.#watch.succeeded(this.#context.now());
    let ended = 0;
    if (this.#watch.coversLease(now)) {
      const lost = await sessionsOfLostHosts(db, now - leaseMs);
      await reports.hostsLost(lost);
      ended = lost.length + (await reports.endOverdue(now));
    }
    await reports.cleanUpCreates(now);
    await reports.pruneTraffic(now);
    return creates + ended > 0;
  }
}
