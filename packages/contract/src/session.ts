import { type Static, Type } from 'typebox';

export const sessionStatuses = ['ACTIVE', 'CLOSED', 'DEAD', 'EXPIRED'] as const;
export type SessionStatus = (typeof sessionStatuses)[number];
export type EndStatus = Exclude<SessionStatus, 'ACTIVE'>;

/** Why a session ended: more than its state says. */
export const endReasons = [
  'client_close',
  'lifetime',
  'browser_closed',
  'browser_crashed',
  'out_of_memory',
  'host_lost',
  'operator',
  'idle',
] as const;
export type EndReason = (typeof endReasons)[number];

const Status = Type.Enum(sessionStatuses);
const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC, with milliseconds' });
/** Objects of the caller's own making go out as they are stored. */
const Free = Type.Object({}, { additionalProperties: true });

/** The session object of the status endpoint and of a create. */
export const Session = Type.Object({
  browserId: Type.String({ description: 'Session id, as in x-session-id' }),
  cdpUrl: Type.String(),
  vncUrl: Type.Optional(Type.String()),
  status: Status,
  createdAt: Timestamp,
  expiresAt: Timestamp,
  browserParams: Free,
  metadata: Free,
});
export type Session = Static<typeof Session>;

export const SessionListItem = Type.Pick(Session, [
  'browserId',
  'cdpUrl',
  'status',
  'createdAt',
  'expiresAt',
]);
export type SessionListItem = Static<typeof SessionListItem>;

export const CloseResult = Type.Object({ browserId: Type.String(), status: Status });
export type CloseResult = Static<typeof CloseResult>;

/** One row of the permanent record. While a session runs, endedAt is null and nothing is billed yet. */
export const SessionRecord = Type.Object({
  browserId: Type.String(),
  status: Status,
  createdAt: Timestamp,
  expiresAt: Timestamp,
  endedAt: Type.Union([Timestamp, Type.Null()]),
  durationSeconds: Type.Integer(),
  billedSeconds: Type.Integer(),
  endReason: Type.Union([Type.Enum(endReasons), Type.Null()], {
    description: 'Why it ended; null while it runs',
  }),
  endSignal: Type.Optional(
    Type.String({ description: 'The signal that ended the browser, where there was one: SIGSEGV' }),
  ),
  bytesUp: Type.Integer(),
  bytesDown: Type.Integer(),
  browserParams: Free,
  metadata: Free,
});
export type SessionRecord = Static<typeof SessionRecord>;

export const SessionPage = Type.Object({
  sessions: Type.Array(SessionRecord),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});
export type SessionPage = Static<typeof SessionPage>;
