import { type Static, Type } from 'typebox';
import { Isolation } from '../isolation.ts';
import { endReasons, RefusedRequests } from '../session.ts';
import { TrafficReport } from '../traffic.ts';

/**
 * What a host tells of a browser, while it runs and when it has ended. Clocks of machines may be wrong, and jump: times
 * are how long ago something was when it is told. The gateway puts them on the store's clock.
 */

const Count = Type.Integer({ minimum: 0 });
const SessionId = Type.String({ minLength: 1, maxLength: 64 });

/** What `block` and `cache` saved a session so far; only what it was opened with. */
const Savings = Type.Object({
  refusedRequests: Type.Optional(RefusedRequests),
  /** An estimate. */
  bytesFromCache: Type.Optional(Count),
});
export type Savings = Static<typeof Savings>;

/** Cumulative bytes to and from the customer's proxy, open connections included. */
const ByteCounters = Type.Object({ bytesUp: Count, bytesDown: Count });
export type ByteCounters = Static<typeof ByteCounters>;

/** When CDP clients were connected; of a browser that has ended, before its end. Version 0.1.0 does not tell. */
const ClientTimes = Type.Object({
  /** Since the first client connected; undefined if none has. */
  connectedAgoMs: Type.Optional(Count),
  /** Since the last client disconnected; undefined if one is connected, or none ever was. */
  disconnectedAgoMs: Type.Optional(Count),
});
export type ClientTimes = Static<typeof ClientTimes>;

/** A session's standby so far, by the host's own clock: cumulative, with the one that goes on. */
const StandbyReport = Type.Object({
  totalMs: Count,
  /** Since when it has been asleep; undefined if it is awake. */
  asleepForMs: Type.Optional(Count),
});
export type StandbyReport = Static<typeof StandbyReport>;

const Common = {
  sessionId: SessionId,
  ...ByteCounters.properties,
  ...ClientTimes.properties,
  savings: Type.Optional(Savings),
  /** Undefined if it was opened without `standby`. */
  standby: Type.Optional(StandbyReport),
};

export const RunningReport = Type.Object({
  ...Common,
  /** Where it has changed since the last accepted heartbeat. */
  traffic: Type.Optional(TrafficReport),
});
export type RunningReport = Static<typeof RunningReport>;

/** Why a browser ended: someone asked, its lifetime ran out, or it went away by itself. */
const endCauses = ['closed', 'expired', 'gone'] as const;
export type EndCause = (typeof endCauses)[number];

export const EndedBrowser = Type.Object({
  ...Common,
  cause: Type.Enum(endCauses),
  /** Whoever keeps it for a while adds that time: see `toldLater`. */
  agoMs: Count,
  /** Where the host knows more than the cause tells. */
  reason: Type.Optional(Type.Enum(endReasons)),
  /** That ended the browser: `SIGSEGV`. */
  signal: Type.Optional(Type.String({ maxLength: 32 })),
  /** Undefined if it could not be read. */
  isolation: Type.Optional(Isolation),
  /** The host's version. Version 0.1.0 does not tell. */
  serviceVersion: Type.Optional(Type.String({ maxLength: 64 })),
  /** Where its bytes went, in full. Version 0.1.0 does not tell. */
  traffic: Type.Optional(TrafficReport),
});
export type EndedBrowser = Static<typeof EndedBrowser>;

/** The same end, told this much later. */
export const toldLater = (ended: EndedBrowser, laterMs: number): EndedBrowser => ({
  ...ended,
  agoMs: ended.agoMs + Math.max(0, Math.round(laterMs)),
});
