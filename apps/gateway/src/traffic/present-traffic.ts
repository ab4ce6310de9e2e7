import { type SessionTrafficView, shownDestinations } from '@turnpike/contract/dashboard/account-pages';
import { type TrafficSummary, withLargest } from '@turnpike/contract/traffic';
import type { SessionTraffic } from '@turnpike/contract/traffic-answers';
import { iso } from '../http/iso.ts';
import { costOfUse, inCurrency, sessionCost } from '../ledger/proxy-cost.ts';
import { refusedIn, type Traffic } from '../ledger/traffic.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { ReadTraffic } from './read-traffic.ts';

export function presentTraffic({ session, traffic, bytes, at, live }: ReadTraffic): SessionTraffic {
  const { destinations, other, bytesFromCache, maxBytesReached, estimate = null } = traffic;
  const { max_bytes: maxBytes = null } = readStoredJson(session.params) as { max_bytes?: number };
  return {
    browserId: session.id,
    status: session.state as SessionTraffic['status'],
    live,
    asOf: iso(at),
    ...bytes,
    bytesFromCache,
    maxBytes,
    maxBytesReached,
    refused: refusedIn(traffic),
    destinations: destinations.map(({ firstAt, lastAt, ...use }) => ({
      ...use,
      firstAt: iso(firstAt),
      lastAt: iso(lastAt),
    })),
    other,
    ...presentProxies(traffic),
    estimate,
  };
}

/** What each proxy has carried, and what that cost. */
export function presentProxies({
  proxies = [],
}: Pick<Traffic, 'proxies'>): Pick<SessionTraffic, 'proxies' | 'cost' | 'costOfOneProxy'> {
  const { cost, costOfOneProxy } = sessionCost(proxies);
  return {
    proxies: proxies.map((use) => ({
      proxy: use.proxy,
      bytesUp: use.bytesUp,
      bytesDown: use.bytesDown,
      connections: use.connections,
      failures: use.failures,
      cost: inCurrency(costOfUse(use)),
    })),
    cost: inCurrency(cost),
    costOfOneProxy: inCurrency(costOfOneProxy),
  };
}

/** Formats a session's traffic for its page. Once the session is no longer readable, its record's summary is left. */
export function presentTrafficPage(read: ReadTraffic, now: number): SessionTrafficView {
  const { session } = read;
  const complete = session.readable_until > now;
  const summary: TrafficSummary | undefined =
    complete || !session.traffic ? undefined : readStoredJson(session.traffic);
  const traffic = { ...presentTraffic(read), ...summary };
  return { ...traffic, ...withLargest(traffic, shownDestinations), complete };
}
