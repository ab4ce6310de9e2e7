import {
  type ByteCounters,
  type ClientsState,
  causeOfHostReason,
  type DriverAnswer,
  type DriverCall,
  type EndedBrowser,
  HostError,
  type HostReason,
  type OpenedBrowser,
  type OpenRequest,
  type PauseHolder,
  type ProxyExit,
  type RunningBrowser,
  type SaveResult,
  type Seats as SeatCount,
  type SnapshotResult,
  type UpstreamProxy,
} from '@turnpike/contract/host';
import type { PageAnswer, PageCall } from '@turnpike/contract/page/page-call';
import type { ScriptAnswer, ScriptCall } from '@turnpike/contract/page/script';
import type { TrafficReport } from '@turnpike/contract/traffic';
import { type Tracer, traced } from '@turnpike/process/observation/trace';
import { within } from '@turnpike/process/within';
import { ownedBy } from '@turnpike/process/work/work';
import type { Logger } from 'pino';
import type { HostMetrics, HostSnapshot } from '../metrics/host-metrics.ts';
import type { PageCalls } from '../page/page-calls.ts';
import { describeProfile } from '../profile/profile.ts';
import { offeredProtocols } from '../protocols/protocols.ts';
import { EndingRecordings } from '../recording/ending-recordings.ts';
import type { ViewerAccess } from '../viewer/viewer.ts';
import { viewOnlyToken } from '../viewer/viewer-token.ts';
import { changeProxy } from './change-proxy.ts';
import { type Seat, Seats } from './seats.ts';
import type { Session } from './session.ts';
import { type StartedSession, type StartOptions, startSession } from './start-session.ts';

export interface SessionsOptions extends Omit<StartOptions, 'span' | 'deadline' | 'endings'> {
  seats: number;
  pageCalls: PageCalls;
  metrics: HostMetrics;
  tracer: Tracer;
}

interface Opening {
  cancel: AbortController;
  settled: Promise<unknown>;
}

/** Each may take some hundred megabytes. Gateways let an account take one at a time. */
const maxSnapshotsAtOnce = 4;
/** How long a caller waits for a session to wake. */
const wakeMs = 10_000;
/** How long a host that stops waits for the ends of recordings to be stored. */
const drainMs = 10_000;

/** The host's sessions: those that start, those that run, and who is told when one ends. */
export class Sessions {
  readonly #options: Omit<SessionsOptions, 'seats'>;
  readonly #seats: Seats;
  readonly #opening = new Map<string, Opening>();
  readonly #running = new Map<string, Session>();
  readonly #byCdpId = new Map<string, Session>();
  readonly #byViewerToken = new Map<string, { session: Session; access: ViewerAccess }>();
  readonly #listeners: ((ended: EndedBrowser) => void)[] = [];
  /** Bytes of sessions that have ended. */
  readonly #bytes = { bytesUp: 0, bytesDown: 0 };
  /** The host's work for them, by account. */
  readonly #accountWork = new Map<string, number>();
  /** Sessions that have ended and whose cleanup goes on. */
  readonly #cleaningUp = new Map<string, { session: Session; cleaned: Promise<void> }>();
  /** Recordings that are not stored yet. */
  readonly #endings = new EndingRecordings();
  /** How many snapshots are being taken. */
  #snapshots = 0;
  #isShutDown = false;

  constructor({ seats, ...options }: SessionsOptions) {
    this.#options = options;
    this.#seats = new Seats(seats);
  }

  async open(request: OpenRequest, signal: AbortSignal): Promise<OpenedBrowser> {
    const { sessionId } = request;
    signal.throwIfAborted();
    if (this.#isShutDown) throw shuttingDown();
    if ([this.#opening, this.#running, this.#cleaningUp].some((known) => known.has(sessionId))) {
      throw new HostError('START_FAILED', 'A session with this id exists');
    }
    const seat = this.#seats.take();
    if (!seat) {
      this.#options.metrics.notOpened('NO_SEAT');
      throw new HostError('NO_SEAT', 'Every seat is taken');
    }
    const cancel = new AbortController();
    using bounds = within(request.timeoutMs, signal, cancel.signal);
    const opened = this.#openInSeat(request, seat, bounds.signal);
    this.#opening.set(sessionId, { cancel, settled: opened.catch(() => {}) });
    try {
      return await opened;
    } catch (error) {
      // Another host may take it; if none has a seat, the client should retry.
      throw this.#isShutDown ? shuttingDown() : error;
    } finally {
      this.#opening.delete(sessionId);
    }
  }

  /** Ends a session. One that is still opening is cancelled, and its `open` rejects. */
  async close(sessionId: string, reason?: HostReason): Promise<EndedBrowser | undefined> {
    const opening = this.#opening.get(sessionId);
    if (opening) {
      opening.cancel.abort(new HostError('START_FAILED', 'The session was closed while it opened'));
      await opening.settled;
    }
    const session = this.#running.get(sessionId) ?? this.#cleaningUp.get(sessionId)?.session;
    const cause = reason ? causeOfHostReason[reason] : 'closed';
    return session?.end(cause, reason);
  }

  async save(sessionId: string): Promise<SaveResult | undefined> {
    return this.#running.get(sessionId)?.saveProfile();
  }

  async takeSnapshot(sessionId: string, maxBytes: number): Promise<SnapshotResult | undefined> {
    const session = this.#running.get(sessionId);
    if (!session) return undefined;
    if (this.#snapshots >= maxSnapshotsAtOnce)
      return { notSaved: 'its host takes too many snapshots at this moment; try again' };
    this.#snapshots += 1;
    using _ = session.standby?.hold();
    try {
      if (!(await session.wake(AbortSignal.timeout(wakeMs))))
        return { notSaved: 'it sleeps, and its host has no memory to wake it now; try again' };
      return await session.takeSnapshot(maxBytes);
    } finally {
      this.#snapshots -= 1;
    }
  }

  get seats(): SeatCount {
    return this.#seats.count;
  }

  /** A session that ends is listed until its end has been reported, so that it is always one or the other. */
  list(): RunningBrowser[] {
    const now = performance.now();
    return Array.from(this.#running.values(), ({ sessionId, counters, traffic, relay, standby }) => ({
      sessionId,
      ...counters,
      ...relay.presence.times(now),
      ...(standby && { standby: standby.report(now) }),
      uses: traffic.ledger.count,
    }));
  }

  readTraffic(sessionId: string, maxDestinations: number): TrafficReport | undefined {
    return this.#running.get(sessionId)?.traffic.report(maxDestinations);
  }

  async changeProxy(
    sessionId: string,
    proxy: UpstreamProxy,
    signal: AbortSignal,
  ): Promise<{ exit?: ProxyExit } | undefined> {
    const session = this.#running.get(sessionId);
    if (!session) return undefined;
    const { traffic, pinsExit } = session;
    const { probeUrl, logger } = this.#options;
    const changed = await changeProxy(traffic, proxy, { probeUrl, logger, pinsExit }, signal);
    return this.#running.has(sessionId) ? changed : undefined;
  }

  readClients(sessionId: string): ClientsState | undefined {
    const session = this.#running.get(sessionId);
    if (!session) return undefined;
    const pause = session.clientPause.state;
    return { connected: session.relay.presence.count, ...(pause && { pause }) };
  }

  async pauseClients(sessionId: string, holder: PauseHolder): Promise<ClientsState | undefined> {
    const session = this.#running.get(sessionId);
    session?.standby?.use();
    await session?.clientPause.take(holder);
    return this.readClients(sessionId);
  }

  renewPause(sessionId: string, holderId: string): ClientsState | undefined {
    this.#running.get(sessionId)?.clientPause.renew(holderId);
    return this.readClients(sessionId);
  }

  resumeClients(sessionId: string, holderId: string): ClientsState | undefined {
    this.#running.get(sessionId)?.clientPause.resume(holderId);
    return this.readClients(sessionId);
  }

  async callDriver(
    sessionId: string,
    call: DriverCall,
    publicUrl: string,
    signal: AbortSignal,
  ): Promise<DriverAnswer | undefined> {
    const session = this.#running.get(sessionId);
    using _ = session?.standby?.hold();
    return await session?.protocols.callDriver(call, publicUrl, signal);
  }

  async callPage(sessionId: string, call: PageCall, signal: AbortSignal): Promise<PageAnswer | undefined> {
    const session = this.#running.get(sessionId);
    if (!session) return undefined;
    using _ = session.standby?.hold();
    const { counters } = session;
    const before = counters.bytesUp + counters.bytesDown;
    using _call = this.#options.pool.pageCall();
    const answer = await this.#options.pageCalls.call(session, call, signal);
    const bytes = counters.bytesUp + counters.bytesDown - before;
    return { ...answer, report: { ...answer.report, bytes } };
  }

  async runScript(
    sessionId: string,
    call: ScriptCall,
    signal: AbortSignal,
  ): Promise<ScriptAnswer | undefined> {
    const session = this.#running.get(sessionId);
    using _ = session?.standby?.hold();
    return await session?.protocols.runScript(call, signal);
  }

  snapshot(): Omit<HostSnapshot, 'name' | 'seats' | 'warm' | 'starts'> {
    const bytes = { ...this.#bytes };
    const accountWork = new Map(this.#accountWork);
    const sessions = [...this.#running.values()];
    for (const { counters, accountId, busyMs } of sessions) {
      add(bytes, counters);
      addWork(accountWork, accountId, busyMs);
    }
    const busiestSessions = sessions
      .map(({ sessionId, busyMs }) => ({ sessionId, busyMs }))
      .toSorted((a, b) => b.busyMs - a.busyMs)
      .slice(0, maxBusiest);
    const seatsTaken = this.#seats.count.used;
    return { seatsTaken, sessions: sessions.length, bytes, accountWork, busiestSessions };
  }

  /** Whoever asks is about to use it. */
  findByCdpId(cdpId: string): Session | undefined {
    const session = this.#byCdpId.get(cdpId);
    session?.standby?.use();
    return session;
  }

  findViewer(token: string): ViewerAccess | undefined {
    const found = this.#byViewerToken.get(token);
    found?.session.standby?.use();
    return found?.access;
  }

  /** Undefined: there is no such session (any more). */
  async wake(sessionId: string): Promise<boolean | undefined> {
    return this.#running.get(sessionId)?.wake(AbortSignal.timeout(wakeMs));
  }

  onEnded(listener: (ended: EndedBrowser) => void): void {
    this.#listeners.push(listener);
  }

  async shutdown(reason: HostReason): Promise<void> {
    this.#isShutDown = true;
    await Promise.all([...this.#opening.keys(), ...this.#running.keys()].map((id) => this.close(id, reason)));
    await Promise.all(Array.from(this.#cleaningUp.values(), ({ cleaned }) => cleaned));
    await this.#endings.drain(drainMs);
  }

  async #openInSeat(request: OpenRequest, seat: Seat, signal: AbortSignal): Promise<OpenedBrowser> {
    const logger = this.#options.logger.child({ sessionId: request.sessionId });
    const { metrics, tracer } = this.#options;
    const startedAt = performance.now();
    const deadline = startedAt + request.timeoutMs;
    let started: StartedSession;
    try {
      await seat.ready(signal);
      started = await traced(tracer, 'open browser', request.traceparent, (span) =>
        startSession(request, { ...this.#options, endings: this.#endings, logger, span, deadline }, signal),
      );
    } catch (error) {
      this.#seats.release();
      metrics.notOpened(error instanceof HostError ? error.code : 'CANCELLED');
      logger.info({ reason: (error as Error).message }, 'browser not opened');
      throw error;
    }
    const { session, warm, exit } = started;
    this.#register(session, logger);
    const chromiumVersion = session.browser.version.product.replace(/^.*\//, '');
    const profile = describeProfile(session.applied.profile);
    const tookMs = Math.round(performance.now() - startedAt);
    metrics.opened(warm ? 'warm' : 'cold', tookMs / 1000);
    logger.info({ chromiumVersion, warm, tookMs }, 'browser opened');
    return {
      chromiumVersion,
      viewer: session.viewing !== undefined,
      protocols: offeredProtocols(),
      ...(exit && { exit }),
      profile,
    };
  }

  #register(session: Session, logger: Logger): void {
    const { sessionId, cdpId } = session;
    this.#running.set(sessionId, session);
    this.#byCdpId.set(cdpId, session);
    const removeViewer = this.#addViewer(session);
    const { work } = session.browser;
    work.sessionId = sessionId;
    ownedBy(work, () =>
      session.run({
        onEnding: () => {
          this.#byCdpId.delete(cdpId);
          removeViewer();
        },
        onCleanupError: (error) => logger.error({ err: error }, 'browser does not end'),
        onEnded: (ended, cleaned) => {
          this.#running.delete(sessionId);
          this.#cleaningUp.set(sessionId, { session, cleaned });
          void cleaned.finally(() => this.#cleaningUp.delete(sessionId));
          this.#seats.release(cleaned);
          add(this.#bytes, ended);
          const { accountId, busyMs } = session;
          addWork(this.#accountWork, accountId, busyMs);
          this.#options.metrics.ended(ended.cause);
          const { sessionId: _, traffic: __, ...shown } = ended;
          logger.info({ ...shown, busyMs: Math.round(busyMs) }, 'browser ended');
          for (const listener of this.#listeners) listener(ended);
        },
      }),
    );
  }

  #addViewer(session: Session): () => void {
    const { viewing } = session;
    if (!viewing) return () => {};
    const { viewer, token } = viewing;
    const viewOnly = viewOnlyToken(token);
    const add = (secret: string, isViewOnly: boolean) => {
      const access = { viewer, viewOnly: isViewOnly, viewOnlyToken: viewOnly };
      this.#byViewerToken.set(secret, { session, access });
    };
    add(token, false);
    add(viewOnly, true);
    return () => {
      this.#byViewerToken.delete(token);
      this.#byViewerToken.delete(viewOnly);
    };
  }
}

/** How many of the sessions that take the most time are named. */
const maxBusiest = 10;

/** How many accounts are counted by themselves. What comes after them is counted together. */
const maxAccounts = 1000;

function addWork(sums: Map<string, number>, accountId: string, ms: number): void {
  const key = sums.has(accountId) || sums.size < maxAccounts ? accountId : 'other';
  sums.set(key, (sums.get(key) ?? 0) + ms);
}
const shuttingDown = () => new HostError('NO_SEAT', 'The host is shutting down');

function add(sum: ByteCounters, { bytesUp, bytesDown }: ByteCounters): void {
  sum.bytesUp += bytesUp;
  sum.bytesDown += bytesDown;
}
