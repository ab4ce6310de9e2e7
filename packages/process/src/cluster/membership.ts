import { randomBytes } from 'node:crypto';
import {
  type Heartbeat,
  type HeartbeatAnswer,
  type HostPhase,
  heartbeatMs,
  leaseMs,
  type ReportedEnding,
} from '@turnpike/contract/heartbeat';
import type { EndedBrowser, RunningHost } from '@turnpike/contract/host';
import type { Logger } from 'pino';
import { serviceVersion } from '../service-version.ts';

export interface MembershipOptions {
  host: RunningHost;
  /** Null: only this process can call the host. */
  privateUrl: string | null;
  /** Brings a beat to a gateway; rejects when none took it. */
  send(beat: Heartbeat): Promise<HeartbeatAnswer>;
  /** The gateways want nothing more of this run, ever: its browsers are being ended. */
  onOutcast?(reason: 'superseded' | 'removed'): void;
  logger: Logger;
  /** The store's time, where the host runs in a gateway's process; otherwise it is learnt from the answers. */
  now?: () => number;
}

/** What was accepted but not settled (an ending whose create is not done yet) is asked about again soon. */
const soonMs = 250;
const retryMs = 1000;

/**
 * A host's place among the gateways, from the host's side: it beats, keeps endings until they are acknowledged,
 * ends what no session needs, and knows whether it may take work.
 */
export class Membership implements AsyncDisposable {
  readonly boot = randomBytes(8).toString('hex');
  readonly #options: MembershipOptions;
  readonly #pending = new Map<string, EndedBrowser>();
  readonly #closing = new Set<string>();
  #seq = 0;
  #joined = false;
  #draining = false;
  #phase: HostPhase = 'up';
  /** Whether all that ended for the gateways while we were out of touch has ended here. */
  #settled = false;
  #lastAccepted = Number.NEGATIVE_INFINITY;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #started = false;
  #outcast = false;
  #nameIsTaken = false;
  /** What the store's time was when `performance.now()` was 0. */
  #storeOffset: number | undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
    options.host.onEnded((ended) => {
      this.#pending.set(ended.sessionId, ended);
      // Who closes a browser hears its end in the answer; the next beat is soon enough for the rest.
      const isHeard = ended.cause === 'closed' && ended.reason === undefined;
      if (this.#started && !isHeard) void this.beat();
    });
  }

  get takesWork(): boolean {
    return this.#phase === 'up' && !this.#draining && this.#settled && this.#isInTouch;
  }

  /** One that no gateway has acknowledged yet. */
  ending(sessionId: string): EndedBrowser | undefined {
    return this.#pending.get(sessionId);
  }

  /** Beats from now on, and at once when a browser ends. */
  start(): void {
    this.#started = true;
    void this.beat();
  }

  /** One beat, after any that is under way. It never rejects: what failed is in the log, and comes again. */
  beat(): Promise<void> {
    this.#next ??= this.#running.then(async () => {
      this.#next = undefined;
      this.#running = this.#beatOnce();
      await this.#running;
    });
    return this.#next;
  }

  /** Takes no more work; what runs goes on. */
  async retire(): Promise<void> {
    this.#phase = 'leaving';
    await this.beat();
  }

  /** The last word of this run, with all that ended: tried until it is taken or the time is over. */
  async leave(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    this.#phase = 'left';
    for (;;) {
      await this.beat();
      const done = this.#outcast || (this.#isInTouch && this.#pending.size === 0);
      if (done || performance.now() + soonMs > deadline) break;
      await new Promise((resolve) => setTimeout(resolve, soonMs));
    }
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#started = false;
    clearTimeout(this.#timer);
    await this.#next;
    await this.#running;
    clearTimeout(this.#timer);
  }

  get #isInTouch(): boolean {
    return performance.now() - this.#lastAccepted < leaseMs;
  }

  async #beatOnce(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#outcast) return;
    const sentAt = performance.now();
    let pauseMs = heartbeatMs;
    try {
      if (!this.#isInTouch) this.#settled = false;
      const offered = this.#settled;
      const answer = await this.#options.send(this.#describe());
      if (answer.outcome === 'accepted') this.#accept(answer, sentAt);
      else this.#refused(answer.outcome);
      if (this.#pending.size > 0 || !offered) pauseMs = soonMs;
    } catch (error) {
      this.#options.logger.warn({ reason: reasonsOf(error) }, 'no gateway took the heartbeat; trying again');
      pauseMs = retryMs;
    }
    if (!this.#started || this.#outcast) return;
    this.#timer = setTimeout(() => void this.beat(), pauseMs);
  }

  #describe(): Heartbeat {
    const { host, privateUrl, now = this.#storeTime } = this.#options;
    const { total, used } = host.seats();
    const sentAt = now();
    this.#seq += 1;
    return {
      name: host.name,
      boot: this.boot,
      seq: this.#seq,
      sentAt,
      joining: !this.#joined,
      phase: this.#phase,
      publicUrl: host.publicUrl,
      privateUrl,
      region: host.region ?? null,
      seats: this.#settled ? total : 0,
      used,
      chromiumVersion: host.chromiumVersion,
      serviceVersion,
      running: host.list(),
      endings: [...this.#pending.values()].map(reportEnding),
    };
  }

  readonly #storeTime = (): number =>
    this.#storeOffset === undefined ? 0 : Math.max(0, Math.round(this.#storeOffset + performance.now()));

  #accept(answer: Extract<HeartbeatAnswer, { outcome: 'accepted' }>, sentAt: number): void {
    const { logger } = this.#options;
    if (!this.#joined) logger.info({ host: this.#options.host.name }, 'joined the gateways');
    if (this.#draining !== answer.draining)
      logger.info(answer.draining ? 'draining: no new sessions' : 'no longer draining');
    this.#joined = true;
    this.#nameIsTaken = false;
    this.#draining = answer.draining;
    // It was some time before now, so that what is computed from it is never late.
    if (answer.at !== undefined) this.#storeOffset = answer.at - performance.now();
    for (const sessionId of answer.acknowledged) this.#pending.delete(sessionId);
    for (const sessionId of answer.end) void this.#end(sessionId);
    this.#lastAccepted = sentAt;
    if (this.#closing.size === 0) this.#settled = true;
  }

  async #end(sessionId: string): Promise<void> {
    if (this.#closing.has(sessionId)) return;
    this.#closing.add(sessionId);
    try {
      this.#options.logger.warn({ sessionId }, 'ending a browser that no session needs');
      await this.#options.host.close(sessionId, 'host_lost');
    } catch (error) {
      this.#options.logger.error({ err: error, sessionId }, 'a browser that no session needs does not end');
    } finally {
      this.#closing.delete(sessionId);
    }
  }

  #refused(outcome: Exclude<HeartbeatAnswer['outcome'], 'accepted'>): void {
    const { logger, host, onOutcast } = this.#options;
    const name = { host: host.name };
    if (outcome === 'name-taken' && !this.#nameIsTaken) {
      this.#nameIsTaken = true;
      const advice = 'waiting until it is gone; if there are to be two, set TURNPIKE_HOST_NAME';
      logger.error(name, `another host that lives, or lived a moment ago, has this host's name: ${advice}`);
    }
    if (outcome !== 'superseded' && outcome !== 'removed') return;
    this.#settled = false;
    this.#lastAccepted = Number.NEGATIVE_INFINITY;
    this.#outcast = true;
    // Before all else: for the gateways these sessions have ended, and nobody else can end their browsers.
    host.shutdown('host_lost').catch((error) => logger.error({ err: error }, 'a browser does not end'));
    const why =
      outcome === 'removed'
        ? 'the operator has removed this host'
        : "another process has taken this host's name; set TURNPIKE_HOST_NAME";
    logger.error(name, `${why}: its browsers are ended, and it takes no more until it is started again`);
    onOutcast?.(outcome);
  }
}

/** What crosses machines says how long ago, and no clock but the monotonic one of each process is asked. */
export function reportEnding({ endedAt, ...ended }: EndedBrowser): ReportedEnding {
  return { ...ended, agoMs: Math.max(0, Math.round(performance.now() - endedAt)) };
}

export function endingOfReport({ agoMs, ...ended }: ReportedEnding): EndedBrowser {
  return { ...ended, endedAt: performance.now() - agoMs };
}

function reasonsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonsOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
