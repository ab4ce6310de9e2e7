import type { UpstreamProxy } from '@turnpike/contract/host';
import type { NamedProxy } from '@turnpike/tunnel/addresses/proxy-text';
import type { ProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';
import type { Transaction } from 'kysely';
import type { Tables } from '../store/tables.ts';

export type { NamedProxy };

export const isNamed = (proxy: ProxyUrl | NamedProxy): proxy is NamedProxy => 'kind' in proxy;

/** What somebody asks for who names a saved proxy or a pool. */
export interface ProxyWish {
  accountId: string;
  proxy: NamedProxy;
  /** The caller's own key. */
  key?: string | undefined;
  /** ISO 3166-1 alpha-2, upper case. */
  country?: string | undefined;
}

/** A saved proxy that was chosen for a session, with its placeholders filled. */
export interface ChosenProxy {
  proxy: ProxyUrl;
  proxyId: string;
  name: string;
  /** Undefined if it was named itself. */
  pool?: { id: string; name: string } | undefined;
  /** Whether it was known to work when it was chosen. */
  wasHealthy: boolean;
}

export interface ChoiceOptions {
  /** The session that is to use it, which is stored with the choice. */
  sessionId: string;
  /** Ids of saved proxies that are not wanted (any more). */
  without?: readonly string[];
  /** Gives the caller's key another `{session}`. */
  renews?: boolean;
}

/** What a check of a saved proxy, or a session's use of it, has found. */
export type ProxyFinding = { isCheck?: boolean } & (
  | { works: true; latencyMs?: number; exit?: { ip: string; country?: string } | undefined }
  | { works: false; reason: string; latencyMs?: undefined; exit?: undefined }
);

/** What sessions need from saved proxies and pools. */
export interface SessionProxies {
  /**
   * Chooses in a transaction that has locked the account's row. Rejects with PROXY_INVALID if there is no such proxy,
   * or a placeholder has no value. Undefined if none is left.
   */
  choose(trx: Transaction<Tables>, wish: ProxyWish, options: ChoiceOptions): Promise<ChosenProxy | undefined>;
  /** Looks up the addresses of a proxy and pins them. None, if the name does not resolve. Rejects if one is not allowed. */
  pin(proxy: ProxyUrl, signal: AbortSignal): Promise<UpstreamProxy>;
  /** Stores what became of it. */
  found(accountId: string, chosen: ChosenProxy, finding: ProxyFinding): Promise<void>;
}
