import { randomBytes } from 'node:crypto';
import type { EndedBrowser, RunningHost } from '@turnpike/contract/host';
import { toldLater } from '@turnpike/contract/host/browser-report';
import {
  type Heartbeat,
  type HeartbeatAnswer,
  heartbeatMs,
  leaseMs,
} from '@turnpike/contract/host/heartbeat';
import { hostAbilities } from '@turnpike/contract/host/host-abilities';
import { buildVersion } from '@turnpike/process/observation/service-version';
import type { Logger } from 'pino';
import {
  type MembershipEvent,
  type MembershipState,
  nextState,
  offersSeats,
  phaseOf,
} from './membership-state.ts';
import { boundedTraffic, TrafficReports } from './traffic-reports.ts';

export interface MembershipOptions {
  host: RunningHost;
  /** Null if only this process can call the host. */
  privateUrl: string | null;
  /** Sends a heartbeat to a gateway; rejects when none accepted it. */
  send(beat: Heartbeat): Promise<HeartbeatAnswer>;
  /** Called when the gateways no longer accept this run. Its browsers are being ended. */
  onRemoved?(reason: 'superseded' | 'removed'): void;
  logger: Logger;
  /** The store's time, if the host runs in a gateway's process. Otherwise it comes from the responses. */
  now?: () => number;
}

/** Pause before reporting again an end that was not acknowledged yet, because its create is still in progress. */
const soonMs = 250;
const retryMs = 1000;

/**
 * A host's membership in the cluster: sends heartbeats, keeps ends until they are acknowledged, ends browsers without a
 * session, and knows whether the host may accept sessions.
 */
export class Membership implements AsyncDisposable {
  readonly boot = randomBytes(8).toString('hex');
  readonly #options: MembershipOptions;
  /** Ends that no gateway has acknowledged yet, each with the time from which its age counts. */
  readonly #pending = new Map<string, { ended: EndedBrowser; since: number }>();
  readonly #closing = new Set<string>();
  readonly #traffic: TrafficReports;
  #seq = 0;
  #state: MembershipState = 'joining';
  /** When the last accepted heartbeat was sent. */
  #acceptedAt: number | undefined;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Whether heartbeats follow each other by themselves. */
  #isBeating = false;
  /** The store's time when `performance.now()` was 0. */
  #storeOffset: number | undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#traffic = new TrafficReports(options.host);
    options.host.onEnded((ended) => {
      this.#pending.set(ended.sessionId, { ended, since: performance.now() });
      // A close returns the end in its response. The next heartbeat is soon enough to report it.
      const isReported = ended.cause === 'closed' && ended.reason === undefined;
      if (this.#isBeating && !isReported) void this.beat();
    });
  }

  get takesWork(): boolean {
    return this.#state === 'serving' && this.#isInTouch;
  }

  /** Returns an end that no gateway has acknowledged yet. */
  ending(sessionId: string): EndedBrowser | undefined {
    const pending = this.#pending.get(sessionId);
    return pending && toldNow(pending);
  }

  /** Starts the heartbeats. A browser's end sends one at once. */
  start(): void {
    this.#isBeating = true;
    void this.beat();
  }

  /** Sends one heartbeat, after any in progress. It never rejects: failures are logged and retried. */
  beat(): Promise<void> {
    this.#next ??= this.#running.then(async () => {
      this.#next = undefined;
      this.#running = this.#beatOnce();
      await this.#running;
    });
    return this.#next;
  }

  /**
   * Takes in an answer to a report that was sent again while this thread was held up. `sentAt` is when it was sent, by
   * `performance.now()`.
   */
  heard(answer: HeartbeatAnswer, sentAt: number): void {
    if (this.#isRemoved) return;
    if (answer.outcome === 'accepted') {
      // What its time says about the store's clock is old by now.
      const { at: _, ...orders } = answer;
      this.#accept(orders, sentAt);
    } else this.#refused(answer.outcome);
  }

  /** Accepts no more sessions. Running ones continue. */
  async retire(): Promise<void> {
    this.#enter('retired');
    await this.beat();
  }

  /** Sends the last heartbeat of this run, with all ends. Retries until it is accepted or the time is up. */
  async leave(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    this.#enter('left');
    for (;;) {
      await this.beat();
      const done = this.#isRemoved || (this.#isInTouch && this.#pending.size === 0);
      if (done || performance.now() + soonMs > deadline) break;
      await new Promise((resolve) => setTimeout(resolve, soonMs));
    }
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isBeating = false;
    clearTimeout(this.#timer);
    await this.#next;
    await this.#running;
    clearTimeout(this.#timer);
  }

  get #isInTouch(): boolean {
    return this.#acceptedAt !== undefined && performance.now() - this.#acceptedAt < leaseMs;
  }

  get #isRemoved(): boolean {
    return this.#state === 'removed';
  }

  /** Returns whether the event has changed the state. */
  #enter(event: MembershipEvent): boolean {
    const before = this.#state;
    this.#state = nextState(before, event);
    return this.#state !== before;
  }

  async #beatOnce(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#isRemoved) return;
    const sentAt = performance.now();
    let pauseMs = heartbeatMs;
    try {
      if (!this.#isInTouch) this.#enter('lapsed');
      const offered = offersSeats(this.#state);
      const answer = await this.#options.send(this.#describe());
      if (answer.outcome === 'accepted') {
        this.#traffic.accepted();
        this.#accept(answer, sentAt);
      } else this.#refused(answer.outcome);
      if (this.#pending.size > 0 || !offered) pauseMs = soonMs;
    } catch (error) {
      this.#options.logger.warn({ reason: reasonsOf(error) }, 'no gateway accepted the heartbeat; retrying');
      pauseMs = retryMs;
    }
    if (!this.#isBeating || this.#isRemoved) return;
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
      joining: this.#acceptedAt === undefined,
      phase: phaseOf(this.#state),
      publicUrl: host.publicUrl,
      privateUrl,
      region: host.region ?? null,
      seats: offersSeats(this.#state) ? total : 0,
      used,
      chromiumVersion: host.chromiumVersion,
      serviceVersion: buildVersion(),
      abilities: [...hostAbilities],
      running: this.#traffic.running(),
      endings: boundedTraffic(Array.from(this.#pending.values(), toldNow)),
    };
  }

  readonly #storeTime = (): number =>
    this.#storeOffset === undefined ? 0 : Math.max(0, Math.round(this.#storeOffset + performance.now()));

  #accept(answer: Extract<HeartbeatAnswer, { outcome: 'accepted' }>, sentAt: number): void {
    const { logger, host } = this.#options;
    if (this.#acceptedAt === undefined)
      logger.info({ host: host.name, version: buildVersion() }, 'joined the gateways');
    this.#acceptedAt = Math.max(this.#acceptedAt ?? sentAt, sentAt);
    // The response was sent before now, so times that are computed from it are never late.
    if (answer.at !== undefined) this.#storeOffset = answer.at - performance.now();
    for (const sessionId of answer.acknowledged) this.#pending.delete(sessionId);
    for (const sessionId of answer.end) void this.#end(sessionId);
    const before = this.#state;
    this.#enter(answer.draining ? 'drained' : this.#closing.size > 0 ? 'ending' : 'accepted');
    if (this.#state === before) return;
    if (this.#state === 'draining') logger.info('draining: no new sessions');
    else if (before === 'draining') logger.info('no longer draining');
  }

  async #end(sessionId: string): Promise<void> {
    if (this.#closing.has(sessionId)) return;
    this.#closing.add(sessionId);
    try {
      this.#options.logger.warn({ sessionId }, 'ending a browser without a session');
      await this.#options.host.close(sessionId, 'host_lost');
    } catch (error) {
      this.#options.logger.error({ err: error, sessionId }, 'a browser without a session could not be ended');
    } finally {
      this.#closing.delete(sessionId);
    }
  }

  #refused(outcome: Exclude<HeartbeatAnswer['outcome'], 'accepted'>): void {
    const { logger, host, onRemoved } = this.#options;
    const name = { host: host.name };
    if (outcome === 'name-taken' && this.#enter('name-taken')) {
      const advice = 'waiting until it is gone. To run both, set TURNPIKE_HOST_NAME on one';
      logger.error(name, `another live host has this host's name: ${advice}`);
    }
    if (outcome !== 'superseded' && outcome !== 'removed') return;
    this.#enter('removed');
    // Ends the browsers first: for the gateways these sessions have ended, and nobody else can end them.
    host.shutdown('host_lost').catch((error) => logger.error({ err: error }, 'a browser could not be ended'));
    const why =
      outcome === 'removed'
        ? 'the operator has removed this host'
        : "another process has taken this host's name; set TURNPIKE_HOST_NAME";
    logger.error(name, `${why}: its browsers are ended, and it accepts no sessions until it is restarted`);
    onRemoved?.(outcome);
  }
}

const toldNow = ({ ended, since }: { ended: EndedBrowser; since: number }): EndedBrowser =>
  toldLater(ended, performance.now() - since);

function reasonsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonsOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
