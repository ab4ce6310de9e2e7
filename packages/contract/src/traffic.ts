import { type Static, Type } from 'typebox';
import { maxSessionProxies } from './proxies.ts';

/** The ledger of a session's traffic: which destination has used how much. Its sums are the session's own counters. */

/** Destinations of a session that are kept by name: the largest. The others are added up. */
export const maxDestinations = 1000;
/** Destinations in the permanent record of a session. */
export const summaryDestinations = 10;

/** Why a request came to nothing: the create parameter that refused it, or that the proxy did not carry it. */
export const refusalReasons = [
  'allow_hosts',
  'block_hosts',
  'block',
  'max_bytes',
  'proxy_pin_exit',
  'proxy_failure',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];
/** Those that are decided before the proxy is asked. */
export type RuleRefusal = Exclude<RefusalReason, 'proxy_failure'>;

const Count = Type.Integer({ minimum: 0 });

/** Only reasons that occurred are there. */
export const Refusals = Type.Object(
  Object.fromEntries(refusalReasons.map((reason) => [reason, Type.Optional(Count)])) as Record<
    RefusalReason,
    Type.TOptional<Type.TInteger>
  >,
  {
    description:
      'Requests and tunnels that came to nothing, by what refused them: a create parameter, or `proxy_failure` where ' +
      'the proxy did not carry them. Only reasons that occurred are there',
  },
);
export type Refusals = Static<typeof Refusals>;

/** How much went to one destination, or to several together. */
const Use = {
  requests: Type.Integer({ minimum: 0, description: 'Plain HTTP requests' }),
  tunnels: Type.Integer({ minimum: 0, description: 'Tunnels, for HTTPS and WebSockets' }),
  bytesUp: Type.Integer({ minimum: 0, description: 'Bytes to the proxy' }),
  bytesDown: Type.Integer({ minimum: 0, description: 'Bytes from the proxy' }),
  refused: Refusals,
};
export const OtherUse = Type.Object(Use, {
  description: 'What was sent to one destination, or to several together, and came from there',
});
export type OtherUse = Static<typeof OtherUse>;

const ProxyLabel = Type.String({
  maxLength: 2300,
  description: '`name:<saved proxy>`, or its URL with a masked password',
});

const Name = {
  host: Type.String({ maxLength: 255, description: 'Name or address' }),
  port: Type.Integer({ minimum: 0, maximum: 65_535 }),
  /** Undefined if the session has used one proxy only. */
  proxy: Type.Optional(ProxyLabel),
};

/** One destination of a session, or of a day, by name. */
export const Destination = Type.Object({ ...Name, ...Use });
export type Destination = Static<typeof Destination>;

/** Types of resources that a browser tells apart. */
export const resourceTypes = [
  'document',
  'script',
  'stylesheet',
  'image',
  'media',
  'font',
  'xhr',
  'other',
] as const;
export type ResourceType = (typeof resourceTypes)[number];
export const TypeEstimate = Type.Object(
  Object.fromEntries(resourceTypes.map((type) => [type, Type.Optional(Count)])) as Record<
    ResourceType,
    Type.TOptional<Type.TInteger>
  >,
  { description: 'Bytes by type of resource, as the browser tells them: an estimate' },
);
export type TypeEstimate = Static<typeof TypeEstimate>;

/** What is known of a session's traffic besides its destinations. */
const Whole = {
  bytesFromCache: Type.Integer({
    minimum: 0,
    description: "Bytes that came from the browser's cache instead of the proxy",
  }),
  maxBytesReached: Type.Boolean({ description: 'The session has used its `max_bytes`' }),
};

/** One destination as a host reports it. Clocks of machines differ, so it says how long ago things were. */
const ReportedDestination = Type.Object({
  ...Destination.properties,
  firstAgoMs: Count,
  lastAgoMs: Count,
});
export type ReportedDestination = Static<typeof ReportedDestination>;

/** Why a connection through a proxy failed. */
export const proxyFailureCauses = [
  'unreachable',
  'refused',
  'timeout',
  'broke',
  'tls',
  'credentials',
] as const;
export type ProxyFailureCause = (typeof proxyFailureCauses)[number];

/** What one proxy of a session has carried. */
export const ProxyUse = Type.Object({
  proxy: ProxyLabel,
  bytesUp: Count,
  bytesDown: Count,
  /** Connections to it that were tried, and those that failed, by cause. */
  connections: Count,
  failures: Type.Object(
    Object.fromEntries(proxyFailureCauses.map((cause) => [cause, Type.Optional(Count)])) as Record<
      ProxyFailureCause,
      Type.TOptional<Type.TInteger>
    >,
  ),
  /** Answers whose first byte was waited for, and how long for all together. */
  firstBytes: Count,
  firstByteMs: Count,
  /** For 10⁹ bytes, in millionths; undefined if it is not known. */
  priceMicros: Type.Optional(Count),
  /** Where it comes out, and how often that has changed. */
  exit: Type.Optional(
    Type.Object({
      ip: Type.String({ maxLength: 64 }),
      country: Type.Optional(Type.String({ maxLength: 2 })),
    }),
  ),
  exitChanges: Type.Optional(Count),
});
export type ProxyUse = Static<typeof ProxyUse>;

/** What a host reports of a session. All values are cumulative, and `destinations` and `other` sum up to the bytes. */
export const TrafficReport = Type.Object({
  bytesUp: Count,
  bytesDown: Count,
  ...Whole,
  destinations: Type.Array(ReportedDestination, { maxItems: maxDestinations }),
  other: OtherUse,
  estimate: Type.Optional(TypeEstimate),
  /** The proxies that it has used, its own first. They sum up to the bytes too. Earlier versions do not tell. */
  proxies: Type.Optional(Type.Array(ProxyUse, { maxItems: maxSessionProxies })),
});
export type TrafficReport = Static<typeof TrafficReport>;

/** The record's short form. */
export const TrafficSummary = Type.Object(
  {
    ...Whole,
    refused: Refusals,
    destinations: Type.Array(Destination, {
      maxItems: summaryDestinations,
      description: `The ${summaryDestinations} largest, the largest first`,
    }),
    other: Type.Object(Use, { description: 'All other destinations together' }),
  },
  { description: 'Where its traffic went, once it has ended: the largest destinations' },
);
export type TrafficSummary = Static<typeof TrafficSummary>;

export const noUse = (): OtherUse => ({ requests: 0, tunnels: 0, bytesUp: 0, bytesDown: 0, refused: {} });

/** Adds one use to another. */
export function addUse(sum: OtherUse, use: OtherUse): void {
  sum.requests += use.requests;
  sum.tunnels += use.tunnels;
  sum.bytesUp += use.bytesUp;
  sum.bytesDown += use.bytesDown;
  addRefusals(sum.refused, use.refused);
}

export function addRefusals(sum: Refusals, refused: Refusals): void {
  for (const reason of refusalReasons) {
    const count = refused[reason];
    if (count) sum[reason] = (sum[reason] ?? 0) + count;
  }
}

/** Keeps the first `count` destinations by name and adds the rest to `other`. */
export function withLargest<Named extends OtherUse>(
  { destinations, other }: { destinations: readonly Named[]; other: OtherUse },
  count: number,
): { destinations: Named[]; other: OtherUse } {
  const sum = { ...other, refused: { ...other.refused } };
  for (const use of destinations.slice(count)) addUse(sum, use);
  return { destinations: destinations.slice(0, count), other: sum };
}
