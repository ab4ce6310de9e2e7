import type { AddressGuard } from '@turnpike/process/address-guard';
import type { ProductMap } from '@turnpike/process/product-map';
import type { Tracer } from '@turnpike/process/trace';
import type { Logger } from 'pino';
import type { Sealer } from './accounts/sealing.ts';
import type { HostDirectory } from './hosts/host-directory.ts';
import type { GatewayMetrics } from './metrics/gateway-metrics.ts';
import type { HangUp } from './sessions/close-session.ts';
import type { WaitingLine } from './sessions/waiting-line.ts';
import type { Database } from './store/database.ts';

/** What the operations of a gateway work with. Put together once, at the start. */
export interface Gateway {
  db: Database;
  hosts: HostDirectory;
  proxyGuard: AddressGuard;
  webhookGuard: AddressGuard;
  products: ProductMap;
  sealer: Sealer;
  /** Creates that wait for a slot or a seat. */
  line: WaitingLine;
  logger: Logger;
  metrics: GatewayMetrics;
  tracer: Tracer;
  /** How long a create may take from admission to ACTIVE. */
  createTimeoutMs: number;
  /** How large a saved profile may be, compressed. */
  profileMaxBytes: number;
  /** Load balancers are told to look elsewhere. */
  isDraining: boolean;
  stopping: Stopping;
  /** Hang-ups that are not in the store yet, by session. */
  hangUps: Map<string, HangUp>;
  /** As people reach this service, where it is told. */
  publicUrl?: string | undefined;
  /** Of the metered proxy, likewise. */
  readonly proxyUrl?: string | undefined;
  /** The store's time; see the store's clock. Never the machine's own. */
  now(): number;
}

/** What a gateway that is to stop gives up. */
export interface Stopping {
  /** Creates that wait for a slot or a seat. */
  waiting: AbortSignal;
  /** Creates under way, where the browsers are this process's own and end with it. */
  creating: AbortSignal;
}
