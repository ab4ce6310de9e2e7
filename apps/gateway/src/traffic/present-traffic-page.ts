import { type SessionTrafficView, shownDestinations } from '@turnpike/contract/dashboard/account-pages';
import { type TrafficSummary, withLargest } from '@turnpike/contract/traffic';
import { presentTraffic, type ReadTraffic } from '../ledger/traffic.ts';
import { readStoredJson } from '../store/stored-json.ts';

/** Formats a session's traffic for its page. Once the session is no longer readable, its record's summary is left. */
export function presentTrafficPage(read: ReadTraffic, now: number): SessionTrafficView {
  const { session } = read;
  const complete = session.readable_until > now;
  const summary: TrafficSummary | undefined =
    complete || !session.traffic ? undefined : readStoredJson(session.traffic);
  const traffic = { ...presentTraffic(read), ...summary };
  return { ...traffic, ...withLargest(traffic, shownDestinations), complete };
}
