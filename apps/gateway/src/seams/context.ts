import type { Logger } from 'pino';
import type { GatewayMetrics } from '../metrics/gateway-metrics.ts';
import type { Database } from '../store/database.ts';

/** What every feature works with. */
export interface Context {
  db: Database;
  logger: Logger;
  metrics: GatewayMetrics;
  /** The store's time, in milliseconds since the epoch. Never the machine's own clock; see `store/clock/store-clock.ts`. */
  now(): number;
}
