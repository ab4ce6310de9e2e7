import type { RuleRefusal } from '@turnpike/contract/traffic';
import type { Target } from '@turnpike/tunnel/target';
import type { Upstream } from '@turnpike/tunnel/upstream';
import type { ProxyRecord } from './proxy-record.ts';
import type { TrafficLedger } from './traffic-ledger.ts';

/** One way out of a session. */
export interface Route {
  readonly upstream: Upstream;
  readonly record: ProxyRecord;
  /** Whose its idle connections are: no other route uses them. */
  readonly owner: string;
  /** Whether a client may give its proxy the credentials that it asks for. */
  readonly takesCredentials?: boolean;
}

/** The ways out of a session. */
export interface Routes {
  readonly ledger: TrafficLedger;
  /** Why nothing is carried any more. */
  readonly refusal: RuleRefusal | undefined;
  /**
   * The way to a destination. `address`: which of this machine's own addresses the browser connected to. Undefined if it
   * is nobody's.
   */
  find(address: string, target: Target): Route | undefined;
  /** Cuts everything. The counters stay readable. */
  close(): void;
}

/** Where the browser connects to for the session's own proxy. The other addresses are for contexts. */
export const sessionAddress = '127.0.0.1';
