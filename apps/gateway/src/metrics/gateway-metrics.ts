import type { EndReason } from '@turnpike/contract/session';
import { type ProxyUse, proxyFailureCauses } from '@turnpike/contract/traffic';
import { Counter, Histogram, type Registry } from 'prom-client';
import { StoreMetrics } from './store-metrics.ts';

/** From a status request to a create that waits in the queue. */
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

const leaseEvents = [
  'heartbeat',
  'keeping_failed',
  'name_taken',
  'create_reaped',
  'session_overdue',
  'session_missing',
  'session_of_lost_host',
  'session_abandoned',
  'session_failed',
] as const;
/** What the reaper and the lease keeper did. */
export type LeaseEvent = (typeof leaseEvents)[number];

const itemKinds = ['event_stream', 'webhook_delivery', 'mail', 'recording_chunk', 'traffic_report'] as const;
/** What failed alone, while others of its kind went on. */
export type ItemKind = (typeof itemKinds)[number];

const crawledPages = ['done', 'failed', 'skipped', 'duplicate', 'retried'] as const;
/** What became of a page of a crawl: `retried` is one that is loaded again. */
export type CrawledPageOutcome = (typeof crawledPages)[number];

/** How a create ended: `abandoned` is one whose client disconnected. */
export type CreateOutcome = 'opened' | 'refused' | 'failed' | 'abandoned';

/**
 * The metrics of a gateway. Labels have few values, whatever clients send: routes are patterns, codes are the
 * contract's.
 */
export class GatewayMetrics {
  readonly store: StoreMetrics;
  readonly #requests: Histogram<'method' | 'route' | 'status'>;
  /** Looked up once per label set, for this runs on every request. */
  readonly #seriesOfRequests = new Map<string, Histogram.Internal<'method' | 'route' | 'status'>>();
  readonly #creates: Histogram<'outcome' | 'code'>;
  readonly #ended: Counter<'status' | 'reason'>;
  readonly #leases: Counter<'event'>;
  readonly #items: Counter<'kind'>;
  readonly #crawledPages: Counter<'outcome'>;
  readonly #proxyConnections: Counter;
  readonly #proxyFailures: Counter<'cause'>;
  readonly #proxyChecks: Counter<'outcome'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.store = new StoreMetrics(registry);
    this.#requests = new Histogram({
      name: 'turnpike_gateway_request_duration_seconds',
      help: 'Requests by method, route pattern and status, and how long they took.',
      labelNames: ['method', 'route', 'status'],
      buckets: requestBuckets,
      registers,
    });
    this.#creates = new Histogram({
      name: 'turnpike_gateway_create_duration_seconds',
      help: 'Creates by outcome (opened, refused, failed, abandoned) and code (or status, where there is none).',
      labelNames: ['outcome', 'code'],
      buckets: requestBuckets,
      registers,
    });
    this.#ended = new Counter({
      name: 'turnpike_gateway_sessions_ended_total',
      help: 'Sessions that this gateway ended in the store, by status and reason.',
      labelNames: ['status', 'reason'],
      registers,
    });
    this.#leases = new Counter({
      name: 'turnpike_gateway_lease_events_total',
      help: 'What the reaper and the keeping of leases did.',
      labelNames: ['event'],
      registers,
    });
    this.#items = new Counter({
      name: 'turnpike_gateway_items_failed_total',
      help: 'Event streams, webhook deliveries, e-mails, parts of recordings and reports of traffic that failed by themselves, while the others went on.',
      labelNames: ['kind'],
      registers,
    });
    this.#crawledPages = new Counter({
      name: 'turnpike_gateway_crawl_pages_total',
      help: 'Pages of crawls that this gateway loaded, by what became of them.',
      labelNames: ['outcome'],
      registers,
    });
    this.#proxyConnections = new Counter({
      name: 'turnpike_gateway_proxy_connections_total',
      help: 'Connections to upstream proxies that sessions tried which this gateway ended.',
      registers,
    });
    this.#proxyFailures = new Counter({
      name: 'turnpike_gateway_proxy_failures_total',
      help: 'Those of them that failed, by cause.',
      labelNames: ['cause'],
      registers,
    });
    this.#proxyChecks = new Counter({
      name: 'turnpike_gateway_proxy_checks_total',
      help: 'Saved proxies that this gateway has dialled to see how they are, by outcome (ok, failed).',
      labelNames: ['outcome'],
      registers,
    });
    // Start at zero, so that the first event shows as a change.
    for (const outcome of ['ok', 'failed']) this.#proxyChecks.inc({ outcome }, 0);
    for (const cause of proxyFailureCauses) this.#proxyFailures.inc({ cause }, 0);
    for (const event of leaseEvents) this.#leases.inc({ event }, 0);
    for (const kind of itemKinds) this.#items.inc({ kind }, 0);
    for (const outcome of crawledPages) this.#crawledPages.inc({ outcome }, 0);
  }

  request(method: string, route: string, status: number, seconds: number): void {
    const labels = `${method} ${route} ${status}`;
    let series = this.#seriesOfRequests.get(labels);
    if (!series) {
      series = this.#requests.labels({ method, route, status });
      this.#seriesOfRequests.set(labels, series);
    }
    series.observe(seconds);
  }

  create(outcome: CreateOutcome, code: string, seconds: number): void {
    this.#creates.observe({ outcome, code }, seconds);
  }

  ended(status: string, reason: EndReason): void {
    this.#ended.inc({ status, reason });
  }

  lease(event: LeaseEvent): void {
    this.#leases.inc({ event });
  }

  itemFailed(kind: ItemKind): void {
    this.#items.inc({ kind });
  }

  proxyChecked(works: boolean): void {
    this.#proxyChecks.inc({ outcome: works ? 'ok' : 'failed' });
  }

  /** Counts what a session has seen of its proxies, at its end. */
  proxiesUsed(proxies: readonly ProxyUse[]): void {
    for (const { connections, failures } of proxies) {
      this.#proxyConnections.inc(connections);
      for (const cause of proxyFailureCauses) this.#proxyFailures.inc({ cause }, failures[cause] ?? 0);
    }
  }

  crawledPage(outcome: CrawledPageOutcome): void {
    this.#crawledPages.inc({ outcome });
  }
}
