import {
  addRefusals,
  type Destination,
  noUse,
  type OtherUse,
  type ProxyUse,
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
  /** What each proxy has carried, the session's own first. Undefined if it is not known. They sum up to the bytes too. */
  proxies?: ProxyUse[];
  /** How many were dropped because they do not. */
  droppedProxies?: number;
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
 * Proxies are kept if they sum up to the bytes.
 */
export function reconciled(traffic: Traffic | undefined, { bytesUp, bytesDown }: Bytes): Traffic {
  const { destinations, other, proxies: reported, ...rest } = traffic ?? noTraffic();
  const known = reported && proxiesWithin(reported, { bytesUp, bytesDown });
  const proxies = known ? { proxies: known } : reported && { droppedProxies: reported.length };
  const named = sumOf(destinations);
  if (named.bytesUp > bytesUp || named.bytesDown > bytesDown)
    return {
      ...reconciled(undefined, { bytesUp, bytesDown }),
      ...proxies,
      droppedDestinations: destinations.length,
    };
  const left = { bytesUp: bytesUp - named.bytesUp, bytesDown: bytesDown - named.bytesDown };
  return { ...rest, destinations, other: { ...other, ...left }, ...proxies };
}

/**
 * Proxies that do not sum up to the session's bytes are not kept: nobody could say which of them is wrong. What is
 * missing of a session with one proxy went through that one.
 */
function proxiesWithin(proxies: readonly ProxyUse[], bytes: Bytes): ProxyUse[] | undefined {
  const [only, second] = proxies;
  const sum = sumOf(proxies);
  if (sum.bytesUp === bytes.bytesUp && sum.bytesDown === bytes.bytesDown) return [...proxies];
  const isLess = sum.bytesUp <= bytes.bytesUp && sum.bytesDown <= bytes.bytesDown;
  return only && !second && isLess ? [{ ...only, ...bytes }] : undefined;
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
