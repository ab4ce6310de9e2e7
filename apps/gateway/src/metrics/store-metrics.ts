import type { LogEvent } from 'kysely';
import { Counter, Histogram, type Registry } from 'prom-client';

const buckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

const operations = ['select', 'insert', 'update', 'delete', 'begin', 'commit', 'rollback', 'other'] as const;
type Operation = (typeof operations)[number];
type Durations = Record<Operation, Histogram.Internal<'operation'>>;

/** Measures statements of the store. A commit is where a write reaches the disk. */
export class StoreMetrics {
  /** Looked up once per operation, for this runs several times per request. */
  readonly #durations: Durations;
  readonly #errors: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    const durations = new Histogram({
      name: 'turnpike_gateway_store_duration_seconds',
      help: 'Statements of the store by operation, and how long they took.',
      labelNames: ['operation'],
      buckets,
      registers,
    });
    this.#durations = Object.fromEntries(
      operations.map((operation) => [operation, durations.labels({ operation })]),
    ) as Durations;
    this.#errors = new Counter({
      name: 'turnpike_gateway_store_errors_total',
      help: 'Statements of the store that failed.',
      registers,
    });
  }

  /** Receives Kysely's log events. */
  readonly log = (event: LogEvent): void => {
    if (event.level === 'error') this.#errors.inc();
    else this.#durations[operationOf(event.query)].observe(event.queryDurationMillis / 1000);
  };
}

function operationOf({ query, sql }: LogEvent['query']): Operation {
  switch (query.kind) {
    case 'SelectQueryNode':
      return 'select';
    case 'InsertQueryNode':
      return 'insert';
    case 'UpdateQueryNode':
      return 'update';
    case 'DeleteQueryNode':
      return 'delete';
    default:
      return operations.find((operation) => sql.trimStart().startsWith(operation)) ?? 'other';
  }
}
