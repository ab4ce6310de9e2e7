import { type SessionTrafficView, shownDestinations } from '@turnpike/contract/dashboard/account-pages';
import { type TrafficSummary, withLargest } from '@turnpike/contract/traffic';
import type { SessionTraffic } from '@turnpike/contract/traffic-answers';
import { iso } from '../http/iso.ts';
import { refusedIn } from '../ledger/traffic.ts';
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
    estimate,
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
