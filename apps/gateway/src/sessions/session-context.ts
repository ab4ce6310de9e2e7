import type { AddressGuard } from '@turnpike/tunnel/addresses/address-guard';
import type { ProductMap } from '@turnpike/tunnel/addresses/product-map';
import type { FindHost, PlaceBrowser } from '../seams/browser-hosts.ts';
import type { Context } from '../seams/context.ts';
import type { CountBytes } from '../seams/count-bytes.ts';
import type { Outbox } from '../seams/outbox.ts';
import type { SessionProfiles } from '../seams/session-profiles.ts';
import type { SessionRow } from '../store/tables.ts';
import type { CreateFailures } from './create-failures.ts';
import type { Claim } from './idempotency.ts';
import type { WaitQueue } from './wait-queue.ts';

/** What the operations on sessions work with. */
export interface SessionContext extends Context {
  placeBrowser: PlaceBrowser;
  findHost: FindHost;
  outbox: Outbox;
  countBytes: CountBytes;
  profiles: SessionProfiles;
  /** Whether there is a place for recordings. */
  canRecord: boolean;
  /** Checks and pins the addresses of customers' proxies. */
  proxyGuard: AddressGuard;
  /** Which proxies' sessions count for a product. */
  products: ProductMap;
  /** How long a create may take from admission to ACTIVE. */
  createTimeoutMs: number;
  /** Creates that wait for a slot or a seat. */
  queue: WaitQueue;
  stopping: Stopping;
  /** Counts creates that fail, for the operator's charts. */
  failures: CreateFailures;
  /** Abandonments that are not in the store yet, by session id. */
  abandonments: Map<string, Abandonment>;
}

/** What a gateway that is stopping gives up. */
export interface Stopping {
  /** Creates that wait for a slot or a seat. */
  waiting: AbortSignal;
  /** Creates in progress, where the browsers are this process's own and end with it. */
  creating: AbortSignal;
}

/** A session whose client disconnected before it got the answer. */
export interface Abandonment {
  session: SessionRow;
  claim: Claim | undefined;
  at: number;
}
