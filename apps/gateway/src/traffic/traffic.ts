import {
  addRefusals,
  noUse,
  type OtherUse,
  type Refusals,
  type ReportedDestination,
  summaryDestinations,
  type TrafficReport,
  type TrafficSummary,
  type TypeEstimate,
  withLargest,
} from '@turnpike/contract/traffic';
import type { SessionTraffic } from '@turnpike/contract/traffic-answers';
import { iso } from '../http/iso.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { SessionRow } from '../store/tables.ts';

/** A session's traffic as the store keeps it. Its destinations and `other` sum up to the bytes of the session. */
export interface Traffic {
  bytesFromCache: number;
  maxBytesReached: boolean;
  destinations: Destination[];
  other: OtherUse;
  estimate?: TypeEstimate;
  /** How many destinations were dropped because they added up to more than the session's bytes. */
  droppedDestinations?: number;
}

/** Times are by the store's clock. */
type Destination = Omit<ReportedDestination, 'firstAgoMs' | 'lastAgoMs'> & {
  firstAt: number;
  lastAt: number;
};

interface Bytes {
  bytesUp: number;
  bytesDown: number;
}

/** Puts the times of a host's report on the store's clock. */
export function trafficOf(
  { bytesUp, bytesDown, destinations, ...report }: TrafficReport,
  at: number,
): Traffic {
  return reconciled(
    {
      ...report,
      destinations: destinations.map(({ firstAgoMs, lastAgoMs, ...use }) => ({
        ...use,
        firstAt: at - firstAgoMs,
        lastAt: at - lastAgoMs,
      })),
    },
    { bytesUp, bytesDown },
  );
}

const noTraffic = (): Traffic => ({
  bytesFromCache: 0,
  maxBytesReached: false,
  destinations: [],
  other: noUse(),
});

/**
 * Makes the sums those of the session: what no destination accounts for is added to `other`. That happens with hosts of
 * an earlier version, which report no destinations. Destinations that add up to more are wrong, so none of them is kept.
 */
export function reconciled(traffic: Traffic | undefined, { bytesUp, bytesDown }: Bytes): Traffic {
  const { destinations, other, ...rest } = traffic ?? noTraffic();
  const named = sumOf(destinations);
  if (named.bytesUp > bytesUp || named.bytesDown > bytesDown)
    return { ...reconciled(undefined, { bytesUp, bytesDown }), droppedDestinations: destinations.length };
  const left = { bytesUp: bytesUp - named.bytesUp, bytesDown: bytesDown - named.bytesDown };
  return { ...rest, destinations, other: { ...other, ...left } };
}

/** The bytes that stored traffic adds up to. */
export const bytesOf = ({ destinations, other }: Traffic): Bytes => sumOf([...destinations, other]);

const sumOf = (uses: readonly Bytes[]): Bytes => ({
  bytesUp: uses.reduce((sum, use) => sum + use.bytesUp, 0),
  bytesDown: uses.reduce((sum, use) => sum + use.bytesDown, 0),
});

export function refusedIn({ destinations, other }: Pick<Traffic, 'destinations' | 'other'>): Refusals {
  const refused = { ...other.refused };
  for (const use of destinations) addRefusals(refused, use.refused);
  return refused;
}

/** Shortens a session's traffic for its permanent record. */
export function summaryOf(traffic: Traffic): TrafficSummary {
  const { bytesFromCache, maxBytesReached } = traffic;
  const { destinations, other } = withLargest(traffic, summaryDestinations);
  return {
    bytesFromCache,
    maxBytesReached,
    refused: refusedIn(traffic),
    destinations: destinations.map(({ firstAt: _, lastAt: __, ...use }) => use),
    other,
  };
}

export interface ReadTraffic {
  session: SessionRow;
  traffic: Traffic;
  bytes: Bytes;
  at: number;
  live: boolean;
}

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
