import { type Static, Type } from 'typebox';
import { sessionIdPattern } from './ids.ts';
import { sessionStatuses } from './session.ts';
import {
  Destination,
  maxDestinations,
  OtherUse,
  ProxyUse,
  Refusals,
  TrafficSummary,
  TypeEstimate,
} from './traffic.ts';

/** What the API answers about traffic. */

const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC, with milliseconds' });
const Bytes = {
  bytesUp: Type.Integer({ description: 'Bytes to the proxy: the sum of `destinations` and `other`' }),
  bytesDown: Type.Integer({ description: 'Bytes from the proxy: the sum of `destinations` and `other`' }),
};

const DatedDestination = Type.Object({
  ...Destination.properties,
  firstAt: Type.String({ format: 'date-time', description: 'First use' }),
  lastAt: Type.String({ format: 'date-time', description: 'Last use' }),
});

const Cost = (description: string) => Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description });

/** What one proxy of a session has carried. */
export const ProxyTraffic = Type.Object({
  proxy: ProxyUse.properties.proxy,
  bytesUp: Type.Integer({ minimum: 0, description: 'Bytes to it' }),
  bytesDown: Type.Integer({ minimum: 0, description: 'Bytes from it' }),
  connections: Type.Integer({ minimum: 0, description: 'Connections to it that were tried' }),
  failures: Type.Object(ProxyUse.properties.failures.properties, {
    description: 'Those that failed, by cause. Only causes that occurred are there',
  }),
  cost: Cost('By the price of the saved proxy when the session began to use it. Null: it has none'),
});
export type ProxyTraffic = Static<typeof ProxyTraffic>;

/** What a session's proxies have carried, and what that cost. */
export const ProxyTotals = {
  proxies: Type.Array(ProxyTraffic, {
    description:
      "The session's proxies: its own first, then in the order of their first use. They add up to `bytesUp` and " +
      '`bytesDown`. Empty where the host did not tell',
  }),
  cost: Cost('What all of them cost. Null: the price of one is not known'),
  costOfOneProxy: Cost(
    'What all bytes would have cost through the first, which is the own proxy of the session. Null: it has no price',
  ),
};

/** GET /api/browser/:id/traffic. */
export const SessionTraffic = Type.Object(
  {
    browserId: Type.String({ pattern: sessionIdPattern.source }),
    status: Type.Enum(sessionStatuses),
    live: Type.Boolean({
      description:
        'Read from the browser just now. Otherwise it is what was stored last, final for an ended session',
    }),
    asOf: Timestamp,
    ...Bytes,
    bytesFromCache: TrafficSummary.properties.bytesFromCache,
    maxBytes: Type.Union([Type.Integer(), Type.Null()], { description: '`max_bytes` of the create' }),
    maxBytesReached: TrafficSummary.properties.maxBytesReached,
    refused: Refusals,
    destinations: Type.Array(DatedDestination, {
      maxItems: maxDestinations,
      description: `The ${maxDestinations} largest, the largest first`,
    }),
    other: Type.Object(OtherUse.properties, { description: 'All other destinations together' }),
    ...ProxyTotals,
    estimate: Type.Union([TypeEstimate, Type.Null()], {
      description:
        'Bytes by type of resource, as the browser tells them. Null where the host does not estimate it',
    }),
  },
  {
    description:
      "Where a session's traffic went. `destinations` and `other` add up to `bytesUp` and `bytesDown` exactly",
  },
);
export type SessionTraffic = Static<typeof SessionTraffic>;

const { proxy: _, ...ofDay } = Destination.properties;

/** A day has one count of refusals, and adds up proxies. */
export const DayDestination = Type.Object({
  ...ofDay,
  refused: Type.Integer({ minimum: 0, description: 'Requests and tunnels that came to nothing' }),
});
export type DayDestination = Static<typeof DayDestination>;

/** GET /user/api/traffic. */
export const AccountTraffic = Type.Object({
  from: Type.String({ format: 'date' }),
  to: Type.String({ format: 'date' }),
  days: Type.Array(
    Type.Object({
      date: Type.String({ format: 'date', description: 'UTC; a session counts on the day it ended' }),
      ...Bytes,
      bytesFromCache: Type.Integer({ minimum: 0 }),
      refused: DayDestination.properties.refused,
      destinations: Type.Array(DayDestination, { description: 'The largest, the largest first' }),
      other: Type.Omit(DayDestination, ['host', 'port'], { description: 'All other destinations together' }),
    }),
    { description: 'Days on which sessions ended, the latest first' },
  ),
});
export type AccountTraffic = Static<typeof AccountTraffic>;
