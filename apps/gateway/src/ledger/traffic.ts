import {
  addRefusals,
  type Destination,
  noUse,
  type OtherUse,
  type Refusals,
  summaryDestinations,
  type TrafficReport,
  type TrafficSummary,
  type TypeEstimate,
  withLargest,
} from '@turnpike/contract/traffic';

/** A session's traffic as the store keeps it. Its destinations and `other` sum up to the bytes of the session. */
export interface Traffic {
  bytesFromCache: number;
  maxBytesReached: boolean;
  destinations: DatedDestination[];
  other: OtherUse;
  estimate?: TypeEstimate;
  /** How many destinations were dropped because they added up to more than the session's bytes. */
  droppedDestinations?: number;
}

/** Times are by the store's clock. */
type DatedDestination = Destination & { firstAt: number; lastAt: number };

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
