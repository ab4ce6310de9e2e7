import { type ByteCounters, type EndCause, hostErrorCodes } from '@turnpike/contract/host';
import { type ConnectionFailure, connectionFailures } from '@turnpike/tunnel/connection-failure';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type Shape, shapes } from '../chromium/browser-start.ts';

/** Seconds; from a warm browser to a cold start on a busy machine. */
const buckets = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 30, 60];

/** The state of a host, read with the metrics. */
export interface HostSnapshot {
  name: string;
  seats: number;
  seatsTaken: number;
  sessions: number;
  warm: Record<Shape, number>;
  /** Starts for sessions and for the pool. */
  starts: { waiting: number; running: number };
  /** Bytes to and from customers' proxies since the host started. */
  bytes: ByteCounters;
  /** How long the host has worked for each account since it started, in milliseconds. */
  accountWork: ReadonlyMap<string, number>;
  /** And for the running sessions that it has worked for the longest. */
  busiestSessions: readonly { sessionId: string; busyMs: number }[];
}

export type SocketKind = 'cdp' | 'viewer';

/** A host's metrics. Only those of its work for tenants have an account or a session as their label. */
export class HostMetrics {
  readonly #registry: Registry;
  readonly #opened: Histogram<'start'>;
  readonly #notOpened: Counter<'code'>;
  readonly #ended: Counter<'cause'>;
  readonly #sockets: Gauge<'kind'>;
  readonly #socketsOpened: Counter<'kind'>;
  readonly #refills: Histogram<'shape'>;
  readonly #refillFailures: Counter;
  readonly #faults: Counter<'ended'>;
  readonly #forwardingFailures: Counter<'cause'>;
  readonly #startWaits: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#registry = registry;
    this.#opened = new Histogram({
      name: 'turnpike_host_open_duration_seconds',
      help: 'Browsers opened for sessions by start (warm or cold), and how long that took.',
      labelNames: ['start'],
      buckets,
      registers,
    });
    this.#notOpened = new Counter({
      name: 'turnpike_host_open_failures_total',
      help: 'Browsers not opened, by code: NO_SEAT, PROXY_UNREACHABLE, NO_FILTER_LIST, EXTENSION_FAILED, START_FAILED, or CANCELLED.',
      labelNames: ['code'],
      registers,
    });
    this.#ended = new Counter({
      name: 'turnpike_host_sessions_ended_total',
      help: 'Sessions that ended on this host, by cause.',
      labelNames: ['cause'],
      registers,
    });
    this.#sockets = new Gauge({
      name: 'turnpike_host_sockets',
      help: 'Open WebSockets by kind: cdp or viewer.',
      labelNames: ['kind'],
      registers,
    });
    this.#socketsOpened = new Counter({
      name: 'turnpike_host_sockets_opened_total',
      help: 'WebSockets opened by kind: cdp or viewer.',
      labelNames: ['kind'],
      registers,
    });
    this.#refills = new Histogram({
      name: 'turnpike_host_pool_refill_duration_seconds',
      help: 'From the moment a warm browser is wanted to the moment it waits, by shape.',
      labelNames: ['shape'],
      buckets,
      registers,
    });
    this.#refillFailures = new Counter({
      name: 'turnpike_host_pool_failures_total',
      help: 'Warm browsers that did not start, or went away while they waited.',
      registers,
    });
    this.#faults = new Counter({
      name: 'turnpike_host_faults_total',
      help: 'Errors in the handling of DevTools messages, by what they ended: a session (or one client of it), or the thread with all its sessions.',
      labelNames: ['ended'],
      registers,
    });
    for (const ended of ['session', 'thread']) this.#faults.inc({ ended }, 0);
    this.#forwardingFailures = new Counter({
      name: 'turnpike_host_forwarding_failures_total',
      help: "Requests and tunnels of browsers that could not be carried, by cause. The upstream proxy's: timeout, reset, closed, refused. Ours: defect.",
      labelNames: ['cause'],
      registers,
    });
    for (const cause of connectionFailures) this.#forwardingFailures.inc({ cause }, 0);
    this.#startWaits = new Histogram({
      name: 'turnpike_host_start_wait_seconds',
      help: 'How long browsers that start for a session waited for their turn.',
      buckets,
      registers,
    });
    // Starts each series at zero, so that its first increment is seen as a change.
    for (const start of ['warm', 'cold']) this.#opened.zero({ start });
    for (const code of [...hostErrorCodes, 'CANCELLED']) {
      this.#notOpened.inc({ code }, 0);
    }
    for (const cause of ['closed', 'expired', 'gone']) this.#ended.inc({ cause }, 0);
    for (const kind of ['cdp', 'viewer']) {
      this.#sockets.set({ kind }, 0);
      this.#socketsOpened.inc({ kind }, 0);
    }
    for (const shape of shapes) this.#refills.zero({ shape });
  }

  /**
   * Reads seats, sessions, the pool and bytes whenever metrics are collected. Returns undefined if the host is not up.
   */
  watch(snapshot: () => HostSnapshot | undefined, wanted: Readonly<Record<Shape, number>>): void {
    const gauge = (name: string, help: string, read: (now: HostSnapshot) => number) => {
      new Gauge({
        name,
        help,
        labelNames: ['host'],
        registers: [this.#registry],
        collect() {
          const now = snapshot();
          if (now) this.set({ host: now.name }, read(now));
        },
      });
    };
    gauge('turnpike_host_seats', 'Seats: browsers that the host may run at once.', (now) => now.seats);
    gauge('turnpike_host_seats_taken', 'Seats of sessions that open or run.', (now) => now.seatsTaken);
    gauge('turnpike_host_sessions', 'Sessions that run.', (now) => now.sessions);
    gauge(
      'turnpike_host_starts_waiting',
      'Browsers that wait for their turn to start.',
      (now) => now.starts.waiting,
    );
    gauge('turnpike_host_starts_running', 'Browsers that start now.', (now) => now.starts.running);
    new Gauge({
      name: 'turnpike_host_pool_browsers',
      help: 'Warm browsers that wait, by shape.',
      labelNames: ['shape'],
      registers: [this.#registry],
      collect() {
        const now = snapshot();
        for (const shape of shapes) this.set({ shape }, now?.warm[shape] ?? 0);
      },
    });
    new Gauge({
      name: 'turnpike_host_pool_wanted',
      help: 'Warm browsers that are to wait where seats are free, by shape.',
      labelNames: ['shape'],
      registers: [this.#registry],
      collect() {
        for (const shape of shapes) this.set({ shape }, wanted[shape]);
      },
    });
    new Counter({
      name: 'turnpike_host_bytes_total',
      help: "Bytes of sessions to (up) and from (down) customers' proxies.",
      labelNames: ['direction'],
      registers: [this.#registry],
      collect() {
        const now = snapshot();
        this.reset();
        this.inc({ direction: 'up' }, now?.bytes.bytesUp ?? 0);
        this.inc({ direction: 'down' }, now?.bytes.bytesDown ?? 0);
      },
    });
  }

  /** Reads the host's work for tenants whenever metrics are collected. */
  watchWork(read: () => Pick<HostSnapshot, 'accountWork' | 'busiestSessions'> | undefined): void {
    const registers = [this.#registry];
    new Counter({
      name: 'turnpike_host_account_work_seconds_total',
      help: "Time of the host's own threads that an account's sessions took: DevTools messages, recordings, live views.",
      labelNames: ['account'],
      registers,
      collect() {
        this.reset();
        for (const [account, ms] of read()?.accountWork ?? []) this.inc({ account }, ms / 1000);
      },
    });
    new Gauge({
      name: 'turnpike_host_session_work_seconds',
      help: 'The same, of the ten running sessions that took the most.',
      labelNames: ['session'],
      registers,
      collect() {
        this.reset();
        for (const { sessionId, busyMs } of read()?.busiestSessions ?? []) {
          this.set({ session: sessionId }, busyMs / 1000);
        }
      },
    });
  }

  opened(start: 'warm' | 'cold', seconds: number): void {
    this.#opened.observe({ start }, seconds);
  }

  notOpened(code: string): void {
    this.#notOpened.inc({ code });
  }

  ended(cause: EndCause): void {
    this.#ended.inc({ cause });
  }

  /** Counts an open socket until the returned function is called. */
  socket(kind: SocketKind): () => void {
    this.#socketsOpened.inc({ kind });
    this.#sockets.inc({ kind });
    return () => this.#sockets.dec({ kind });
  }

  refilled(shape: Shape, seconds: number): void {
    this.#refills.observe({ shape }, seconds);
  }

  fault(ended: 'session' | 'thread'): void {
    this.#faults.inc({ ended });
  }

  /** A request or tunnel of a browser could not be carried. */
  forwardingFailed(cause: ConnectionFailure): void {
    this.#forwardingFailures.inc({ cause });
  }

  startWaited(seconds: number): void {
    this.#startWaits.observe(seconds);
  }

  refillFailed(): void {
    this.#refillFailures.inc();
  }
}
