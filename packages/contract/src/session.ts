import { type Static, Type } from 'typebox';
import { type BlockKind, blockKinds } from './create-parameters.ts';
import { maxSessionTags, sessionIdPattern, sessionNamePattern, sessionTagPattern } from './ids.ts';
import { SessionProxyChange } from './proxies.ts';
import { TrafficSummary } from './traffic.ts';

export const sessionStatuses = ['ACTIVE', 'CLOSED', 'DEAD', 'EXPIRED'] as const;
export type SessionStatus = (typeof sessionStatuses)[number];
export type EndStatus = Exclude<SessionStatus, 'ACTIVE'>;

/** Why a session ended, in more detail than its state. */
export const endReasons = [
  'client_close',
  'lifetime',
  'browser_closed',
  'browser_crashed',
  'out_of_memory',
  'stalled',
  'host_stopped',
  'host_lost',
  'operator',
  'idle',
] as const;
export type EndReason = (typeof endReasons)[number];

const Status = Type.Enum(sessionStatuses, {
  description: 'ACTIVE runs. CLOSED was closed, EXPIRED reached its lifetime, DEAD lost its browser',
});
const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC, with milliseconds' });
/** The caller's own objects are returned as they are stored. */
const free = (description: string) => Type.Object({}, { additionalProperties: true, description });
const BrowserParams = free(
  'What was asked for, under the names of a create: `os`, `proxy` (its password is `***`), `headless`, `vnc`, ' +
    '`maxLifetime` and the rest as given, with `idleTimeout` and `saveProfile` under these older names; `profile` is the device that the session claims to be, ' +
    '`savedProfile` the saved profile that it began with',
);
const Metadata = free(
  "The object given at the create. The gateway's own facts are under `turnpike`: the host's name, the Chromium " +
    "version and, where they could be measured, the proxy's exit IP and country; of a session that was to save its " +
    'profile, `profileSaved`, and where that is false `profileError` says why; of its cache `cacheSaved` and `cacheError`',
);
/** By what they were refused for. */
export const RefusedRequests = Type.Object(
  Object.fromEntries(blockKinds.map((kind) => [kind, Type.Optional(Type.Integer({ minimum: 0 }))])) as Record<
    BlockKind,
    Type.TOptional<Type.TInteger>
  >,
  {
    description:
      'How many requests `block` refused, by what for, as `{"images": 12, "ads": 3}`; only of a session with `block`',
  },
);
export type RefusedRequests = Static<typeof RefusedRequests>;
const BrowserId = Type.String({
  pattern: sessionIdPattern.source,
  description: 'Session id, as in `x-session-id`; what a reconnect takes',
});
const ExpiresAt = Type.String({
  format: 'date-time',
  description: 'When the lifetime runs out. The value to trust: `maxLifetime` is clamped',
});

const Name = Type.String({ pattern: sessionNamePattern.source, description: 'The name that people gave it' });
const Tags = Type.Array(Type.String({ pattern: sessionTagPattern.source }), {
  maxItems: maxSessionTags,
  description: 'Words to find it by',
});

/** The session in the responses of status and create. */
export const Session = Type.Object({
  browserId: BrowserId,
  cdpUrl: Type.String({ description: 'WebSocket URL for CDP clients. Whoever has it has the browser' }),
  bidiUrl: Type.Optional(
    Type.String({ description: 'WebSocket URL for WebDriver BiDi, where the host offers it' }),
  ),
  playwrightUrl: Type.Optional(
    Type.String({
      description:
        "WebSocket URL for Playwright's own protocol (`chromium.connect`), where the host offers it",
    }),
  ),
  webdriverUrl: Type.Optional(
    Type.String({ description: 'URL for WebDriver clients, where the host offers it' }),
  ),
  vncUrl: Type.Optional(Type.String({ description: 'Live view, where the session has one' })),
  status: Status,
  createdAt: Timestamp,
  expiresAt: ExpiresAt,
  name: Type.Optional(Name),
  tags: Type.Optional(Tags),
  standby: Type.Optional(
    Type.Boolean({ description: 'Whether it is asleep; only of a session with `standby`' }),
  ),
  standbySince: Type.Optional(
    Type.String({ format: 'date-time', description: 'Since when it is asleep; only while it is' }),
  ),
  browserParams: BrowserParams,
  metadata: Metadata,
});
export type Session = Static<typeof Session>;

/** The response of a create: the session, and two members again under the names that other clients use. */
export const CreatedSession = Type.Object({
  ...Session.properties,
  sessionId: Type.String({ pattern: sessionIdPattern.source, description: 'The same as `browserId`' }),
  wsEndpoint: Type.String({ description: 'The same as `cdpUrl`' }),
});
export type CreatedSession = Static<typeof CreatedSession>;

/** One result of a bulk status. */
export const NoSession = Type.Object(
  {
    browserId: Type.String({ description: 'The id as it was asked for' }),
    status: Type.Literal('NOT_FOUND', { description: "No session of the caller's has this id" }),
  },
  { description: 'What a bulk status has for an id that is no readable session of the account' },
);
export type NoSession = Static<typeof NoSession>;

export const BulkStatus = Type.Object({
  browsers: Type.Array(Type.Union([Session, NoSession]), {
    description: 'For each distinct id, in the order asked',
  }),
});
export type BulkStatus = Static<typeof BulkStatus>;

export const SessionListItem = Type.Pick(Session, [
  'browserId',
  'cdpUrl',
  'status',
  'createdAt',
  'expiresAt',
  'name',
  'tags',
]);
export type SessionListItem = Static<typeof SessionListItem>;

export const CloseResult = Type.Object({
  browserId: Type.Union([BrowserId, Type.Null()], {
    description: 'Null where an Idempotency-Key was closed that had opened no session',
  }),
  status: Status,
});
export type CloseResult = Static<typeof CloseResult>;

export const SessionRecord = Type.Object(
  {
    browserId: BrowserId,
    status: Status,
    createdAt: Timestamp,
    expiresAt: ExpiresAt,
    endedAt: Type.Union([Timestamp, Type.Null()], { description: 'Null while it runs' }),
    durationSeconds: Type.Integer({ description: 'So far, while it runs' }),
    billedSeconds: Type.Integer({ description: 'At least 30 once it has ended; 0 until then' }),
    standbySeconds: Type.Optional(
      Type.Integer({
        description: 'Whole seconds that it has been asleep; only of a session with `standby`',
      }),
    ),
    standbyFactor: Type.Optional(
      Type.Number({
        description: 'What a second asleep costs, of one awake; only of a session with `standby`',
      }),
    ),
    endReason: Type.Union(
      [Type.Enum(endReasons, { description: 'Why a session ended: more than its status says' }), Type.Null()],
      {
        description: 'Why it ended; null while it runs',
      },
    ),
    endSignal: Type.Optional(
      Type.String({ description: 'The signal that ended the browser, where there was one: SIGSEGV' }),
    ),
    bytesUp: Type.Integer({ description: 'Bytes that it sent to its proxy' }),
    bytesDown: Type.Integer({ description: 'Bytes that came from its proxy' }),
    traffic: Type.Optional(TrafficSummary),
    refusedRequests: Type.Optional(RefusedRequests),
    bytesFromCache: Type.Optional(
      Type.Integer({
        description:
          'An estimate of the bytes that came from its HTTP cache and not from its proxy; only with `cache`',
      }),
    ),
    name: Type.Optional(
      Type.String({ description: 'Its name; where it has none, the text `name` of its metadata' }),
    ),
    tags: Type.Optional(Tags),
    browserParams: BrowserParams,
    metadata: Metadata,
  },
  {
    description:
      'One row of the permanent record. While the session runs, `endedAt` is null and nothing is billed yet',
  },
);
export type SessionRecord = Static<typeof SessionRecord>;

export const SessionPage = Type.Object({
  sessions: Type.Array(SessionRecord),
  nextCursor: Type.Union([Type.String(), Type.Null()], {
    description: 'Give it as `cursor` for the next page; null on the last one',
  }),
});
export type SessionPage = Static<typeof SessionPage>;

const orNull = <T extends Type.TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));

/** What people call a session, as it is changed. What is not given stays. */
export const SessionLabels = Type.Object({
  name: orNull(Type.String({ maxLength: 200, description: 'Another name; null removes it' })),
  tags: orNull(
    Type.Array(Type.String({ pattern: sessionTagPattern.source }), {
      maxItems: maxSessionTags,
      description: 'Other tags, in place of all that it has; null or an empty list removes them',
    }),
  ),
});
export type SessionLabels = Static<typeof SessionLabels>;

/** PATCH /api/browser/:id. Other members are ignored. */
export const SessionChange = Type.Object({
  ...SessionProxyChange.properties,
  proxy: Type.Optional(SessionProxyChange.properties.proxy),
  ...SessionLabels.properties,
});
export type SessionChange = Static<typeof SessionChange>;
