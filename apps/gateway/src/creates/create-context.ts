import type { ProductMap } from '@turnpike/tunnel/addresses/product-map';
import type { CreateFailures } from '../metrics/create-failures.ts';
import type { PlaceBrowser } from '../seams/browser-hosts.ts';
import type { SessionExtensions } from '../seams/session-extensions.ts';
import type { SessionProxies } from '../seams/session-proxies.ts';
import type { SessionSnapshots } from '../seams/session-snapshots.ts';
import type { SessionContext } from '../sessions/session-context.ts';
import type { SessionRow } from '../store/tables.ts';
import type { Claim } from './idempotency.ts';
import type { WaitQueue } from './wait-queue.ts';

/** What creates work with. */
export interface CreateContext extends SessionContext {
  placeBrowser: PlaceBrowser;
  extensions: SessionExtensions;
  snapshots: SessionSnapshots;
  /** Whether there is a place for recordings. */
  canRecord: boolean;
  /** Saved proxies and pools, and the addresses of all proxies. */
  proxies: SessionProxies;
  /** Which proxies' sessions count for a product. */
  products: ProductMap;
  /** How long a create may take from admission to ACTIVE. */
  createTimeoutMs: number;
  /** What a second asleep costs, in thousandths of one awake. */
  standbyPermille: number;
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
