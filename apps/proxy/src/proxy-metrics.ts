import { type Product, products } from '@turnpike/contract/bandwidth';
import { Counter, Gauge, type Registry } from 'prom-client';

/** The protocol of a request: an HTTP tunnel, plain HTTP or SOCKS5. */
export type Way = 'connect' | 'http' | 'socks';

/** The metered proxy's metrics. None has an account as its label. */
export class ProxyMetrics {
  readonly #connections: Gauge;
  readonly #requests: Counter<'way' | 'outcome'>;
  readonly #bytes: Counter<'product'>;
  readonly #reports: Counter<'outcome'>;
  readonly #failures: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#connections = new Gauge({
      name: 'turnpike_proxy_connections',
      help: 'Connections of clients of the metered proxy that are open.',
      registers,
    });
    this.#requests = new Counter({
      name: 'turnpike_proxy_requests_total',
      help: 'Tunnels and requests by way (connect, http, socks) and outcome: carried, or the status of the refusal.',
      labelNames: ['way', 'outcome'],
      registers,
    });
    this.#bytes = new Counter({
      name: 'turnpike_proxy_bytes_total',
      help: "Metered bytes by product, both ways, as accounts' bandwidth counts them.",
      labelNames: ['product'],
      registers,
    });
    this.#reports = new Counter({
      name: 'turnpike_proxy_reports_total',
      help: 'Reports of counters to the store, by outcome: stored or failed (then part of the next).',
      labelNames: ['outcome'],
      registers,
    });
    this.#failures = new Counter({
      name: 'turnpike_proxy_connection_failures_total',
      help: 'Connections that were ended because serving them threw an error. Each is a defect; its log line has the error.',
      registers,
    });
    // Starts each series at zero, so that its first increment is seen as a change.
    for (const outcome of ['stored', 'failed']) this.#reports.inc({ outcome }, 0);
    for (const way of ['connect', 'http', 'socks']) this.#requests.inc({ way, outcome: 'carried' }, 0);
    for (const product of products) this.#bytes.inc({ product }, 0);
  }

  connected(): void {
    this.#connections.inc();
  }

  disconnected(): void {
    this.#connections.dec();
  }

  request(way: Way, outcome: 'carried' | number): void {
    this.#requests.inc({ way, outcome });
  }

  bytes(product: Product, count: number): void {
    this.#bytes.inc({ product }, count);
  }

  /** Serving a connection threw an error. */
  failure(): void {
    this.#failures.inc();
  }

  report(outcome: 'stored' | 'failed'): void {
    this.#reports.inc({ outcome });
  }
}
