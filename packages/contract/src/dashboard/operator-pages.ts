import { type Static, Type } from 'typebox';
import { AccountProfile, accountStatuses } from '../account.ts';
import { products } from '../bandwidth.ts';
import { BandwidthSummary, HistoryQuery, SessionRowView, UsageByDay } from './account-pages.ts';
import { Day, NextCursor, nullable, PageQuery, SearchText, Timestamp } from './common.ts';
import { CreatedLink } from './people.ts';

/** What an operator's pages, and programs with an operator token, send and get. */

const Email = Type.String({ minLength: 3, maxLength: 254 });
const Name = Type.String({ maxLength: 200 });

export const OperatorOverview = Type.Object({
  accounts: Type.Object({ active: Type.Integer(), suspended: Type.Integer() }),
  sessions: Type.Object({ running: Type.Integer(), starting: Type.Integer() }),
  hosts: Type.Object({ live: Type.Integer(), draining: Type.Integer(), lost: Type.Integer() }),
  seats: nullable(Type.Integer({ description: 'On hosts that take sessions, where they say' })),
});
export type OperatorOverview = Static<typeof OperatorOverview>;

/** Sessions of all accounts, by the UTC day on which they started. */
export const ServiceStatistics = Type.Object({
  from: Day,
  to: Day,
  days: Type.Array(
    Type.Object({
      date: Day,
      started: Type.Integer(),
      lost: Type.Integer({ description: 'Ended by a crash, for lack of memory, or with their host' }),
      browserSeconds: Type.Integer({ description: 'Billed so far' }),
      failedCreates: Type.Integer({ description: 'Creates that opened no session' }),
    }),
  ),
  failures: Type.Array(
    Type.Object({
      code: Type.String({ description: "The error's code, or its HTTP status where it has none" }),
      creates: Type.Integer(),
    }),
    { description: 'Why creates failed, the most frequent reason first' },
  ),
});
export type ServiceStatistics = Static<typeof ServiceStatistics>;

/** Null: unlimited. */
export const OperatorLimits = Type.Object({
  concurrent: nullable(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  browserSecondsCap: nullable(Type.Integer({ minimum: 0, maximum: 3_600_000_000 })),
  createsPerMinute: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
});
export type OperatorLimits = Static<typeof OperatorLimits>;

export const OperatorAccount = Type.Object({
  ...AccountProfile.properties,
  limits: OperatorLimits,
  usage: Type.Object({
    browserSeconds: Type.Integer(),
    remainingSeconds: nullable(Type.Integer()),
    running: Type.Integer({ description: 'Sessions that run now' }),
  }),
  signIn: Type.Object({
    password: Type.Boolean({ description: 'Somebody has set one' }),
    lastAt: nullable(Timestamp),
    invitedUntil: nullable(Timestamp),
  }),
});
export type OperatorAccount = Static<typeof OperatorAccount>;

/** `text` is searched in id, e-mail address and name. */
export const AccountsQuery = Type.Object({
  text: Type.Optional(SearchText),
  status: Type.Optional(Type.Enum(accountStatuses)),
  ...PageQuery,
});
export type AccountsQuery = Static<typeof AccountsQuery>;

export const AccountPage = Type.Object({ accounts: Type.Array(OperatorAccount), nextCursor: NextCursor });
export type AccountPage = Static<typeof AccountPage>;

export const NewAccount = Type.Object({
  email: Email,
  name: Type.Optional(Name),
  limits: Type.Optional(Type.Partial(OperatorLimits)),
});
export type NewAccount = Static<typeof NewAccount>;

export const NewAccountSecrets = Type.Object({
  account: OperatorAccount,
  apiKey: Type.String(),
  statsToken: Type.String(),
  proxyUser: Type.String(),
  proxyPassword: Type.String(),
  invitation: CreatedLink,
});
export type NewAccountSecrets = Static<typeof NewAccountSecrets>;

export const LimitChange = Type.Partial(OperatorLimits);
export type LimitChange = Static<typeof LimitChange>;

export const AccountUsage = Type.Object({ usage: UsageByDay, bandwidth: Type.Array(BandwidthSummary) });
export type AccountUsage = Static<typeof AccountUsage>;

export const hostStates = ['live', 'draining', 'lost'] as const;

/** Null: the host does not say. */
export const OperatorHost = Type.Object({
  name: Type.String(),
  region: nullable(Type.String()),
  state: Type.Enum(hostStates),
  publicUrl: Type.String(),
  version: nullable(Type.String()),
  chromiumVersion: nullable(Type.String()),
  seats: nullable(Type.Integer()),
  sessions: Type.Integer({ description: 'That run on it now' }),
  load: nullable(Type.Number({ description: 'Seats in use, 0 to 1' })),
  heartbeatAt: Timestamp,
});
export type OperatorHost = Static<typeof OperatorHost>;

export const Hosts = Type.Object({ hosts: Type.Array(OperatorHost) });
export type Hosts = Static<typeof Hosts>;

/** A session of anyone's; without its URLs, which are its owner's. */
export const OperatorSession = Type.Object({
  ...SessionRowView.properties,
  accountId: Type.String(),
  email: Type.String(),
  host: nullable(Type.String()),
});
export type OperatorSession = Static<typeof OperatorSession>;

/** `account` is an id; `text` is searched in the e-mail address too. */
export const OperatorSessionsQuery = Type.Object({
  ...HistoryQuery.properties,
  account: Type.Optional(Type.String({ maxLength: 100 })),
  host: Type.Optional(Type.String({ maxLength: 200 })),
});
export type OperatorSessionsQuery = Static<typeof OperatorSessionsQuery>;

export const OperatorSessions = Type.Object({
  sessions: Type.Array(OperatorSession),
  nextCursor: NextCursor,
});
export type OperatorSessions = Static<typeof OperatorSessions>;

/** Bandwidth of all accounts together, and the metered proxies that report it. */
export const Products = Type.Object({
  products: Type.Array(
    Type.Object({
      product: Type.Enum(products),
      todayBytes: Type.Number(),
      windowBytes: Type.Number({ description: 'Last 30 days' }),
      accounts: Type.Integer({ description: 'With traffic in the last 30 days' }),
    }),
  ),
  meters: Type.Array(Type.Object({ source: Type.String(), reportedAt: Timestamp }), {
    description: 'Metered proxies, the latest report first; at most 50',
  }),
});
export type Products = Static<typeof Products>;

/** One batch of usage records that came in, over the API or by the CLI's import. */
export const IngestionBatch = Type.Object({
  id: Type.String(),
  at: Timestamp,
  /** Who sent it: an operator token's name, or `cli`. */
  source: Type.String(),
  new: Type.Integer(),
  repeated: Type.Integer(),
  refused: Type.Integer(),
  bytes: Type.Number({ description: 'Of what was new' }),
  errors: Type.Array(
    Type.Object({ line: Type.Integer(), id: Type.Optional(Type.String()), reason: Type.String() }),
    { description: 'The first ones' },
  ),
});
export type IngestionBatch = Static<typeof IngestionBatch>;

export const IngestionQuery = Type.Object({
  refused: Type.Optional(Type.Enum(['true', 'false'])),
  ...PageQuery,
});

/** Kept for 90 days. */
export const Ingestion = Type.Object({ batches: Type.Array(IngestionBatch), nextCursor: NextCursor });
export type Ingestion = Static<typeof Ingestion>;

export const auditActions = [
  'account.create',
  'account.limits',
  'account.suspend',
  'account.reinstate',
  'account.invitation',
  'account.reset',
  'account.settings',
  'key.rotate',
  'stats-token.rotate',
  'proxy-password.rotate',
  'password.reset',
  'password.set',
  'operator.invitation',
  'operator.remove',
  'operator-token.create',
  'operator-token.revoke',
  'host.drain',
  'host.undrain',
  'host.remove',
  'session.close',
  'session.pause',
  'session.resume',
] as const;
export type AuditAction = (typeof auditActions)[number];

export const AuditEntry = Type.Object({
  id: Type.String(),
  at: Timestamp,
  /** An e-mail address, `token <name>`, `key` (an API key itself), or `cli`. */
  actor: Type.String(),
  action: Type.Enum(auditActions),
  /** What it was done to: an account's e-mail address, a host's name, a session's id, … */
  target: Type.String(),
  detail: Type.Object({}, { additionalProperties: true }),
  /** The address that the request came from; null for the CLI. */
  address: nullable(Type.String()),
});
export type AuditEntry = Static<typeof AuditEntry>;

/** `text` is searched in actor and target. */
export const AuditQuery = Type.Object({
  action: Type.Optional(Type.Enum(auditActions)),
  text: Type.Optional(SearchText),
  ...PageQuery,
});
export type AuditQuery = Static<typeof AuditQuery>;

export const AuditPage = Type.Object({ entries: Type.Array(AuditEntry), nextCursor: NextCursor });
export type AuditPage = Static<typeof AuditPage>;

/** Tokens for programs. */
export const OperatorTokens = Type.Object({
  tokens: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), createdAt: Timestamp })),
});
export type OperatorTokens = Static<typeof OperatorTokens>;

export const NewOperatorToken = Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) });
export type NewOperatorToken = Static<typeof NewOperatorToken>;
export const CreatedOperatorToken = Type.Object({ id: Type.String(), token: Type.String() });
export type CreatedOperatorToken = Static<typeof CreatedOperatorToken>;

export const Operators = Type.Object({
  operators: Type.Array(
    Type.Object({
      id: Type.String(),
      email: Type.String(),
      createdAt: Timestamp,
      password: Type.Boolean(),
      lastSignInAt: nullable(Timestamp),
    }),
  ),
});
export type Operators = Static<typeof Operators>;

export const NewOperator = Type.Object({ email: Email });
export type NewOperator = Static<typeof NewOperator>;
