import type { ProxyPolicy, ProxyState } from '@turnpike/contract/proxies';
import type { Generated, Selectable } from 'kysely';

/** A proxy that an account has saved. */
export interface SavedProxyTable {
  id: string;
  account_id: string;
  name: string;
  /** The URL as it was given, with its password and its placeholders. */
  url_sealed: string;
  url_masked: string;
  /** A JSON array. */
  tags: string;
  country: string | null;
  notes: string | null;
  /** For 10⁹ bytes. */
  price_micros: number | null;
  /** PEM. */
  ca: string | null;
  /** 1: browsers trust `ca` too. */
  trust_ca: Generated<number>;
  /** PEM. */
  client_certificate: string | null;
  client_key_sealed: string | null;
  state: Generated<ProxyState>;
  state_at: number;
  /** Checks that failed since the last that succeeded. */
  failures: Generated<number>;
  /** Null: it is not dialled again by itself. */
  next_check_at: number | null;
  checked_at: number | null;
  latency_ms: number | null;
  exit_ip: string | null;
  exit_country: string | null;
  last_error: string | null;
  /** When an event last told that `exit_ip` has changed. */
  exit_changed_at: Generated<number | null>;
  created_at: number;
  updated_at: number;
}
export type SavedProxyRow = Selectable<SavedProxyTable>;

export interface ProxyPoolTable {
  id: string;
  account_id: string;
  name: string;
  policy: ProxyPolicy;
  /** The position of the member that was taken last, for `round_robin`. */
  turn: Generated<number>;
  created_at: number;
  updated_at: number;
}
export type ProxyPoolRow = Selectable<ProxyPoolTable>;

export interface ProxyPoolMemberTable {
  pool_id: string;
  proxy_id: string;
  position: number;
}

/** Which proxy a caller's `proxy_key` has, and in which generation of its `{session}`. */
export interface ProxyKeyTable {
  account_id: string;
  /** The id of a pool, or of a saved proxy. */
  scope: string;
  key_hash: string;
  proxy_id: string;
  /** Grows with each rotation. */
  generation: Generated<number>;
  used_at: number;
}

/** The saved proxies that a session uses, or has used, in any way. */
export interface SessionProxyTable {
  session_id: string;
  proxy_id: string;
  account_id: string;
}

/** What sessions that ended on a day have seen of a saved proxy. `pool_id` is empty if they named it themselves. */
export interface ProxyDayTable {
  account_id: string;
  proxy_id: string;
  pool_id: string;
  day: string;
  sessions: number;
  connections: number;
  failures: number;
  first_bytes: number;
  first_byte_ms: number;
  exit_changes: number;
  bytes_up: number;
  bytes_down: number;
  cost_micros: number;
}
