import { type Static, Type } from 'typebox';
import { AccountLimits, AccountProfile, accountStatuses, ConcurrencyRecord, Usage } from './account.ts';
import { products, unitDigits } from './bandwidth.ts';
import { DeliveryList, type EventType, WebhookList } from './events.ts';
import { SessionRecord, sessionStatuses } from './session.ts';

/**
 * What the dashboard's pages say to the gateway: `/dashboard/api/*`, JSON both ways, with the cookie of whoever is
 * signed in. The operations behind it are those of interfaces A and B, so the numbers are the same.
 *
 * - Every POST needs `content-type: application/json` (a body of `{}` where nothing is to be said; a file's upload
 *   says so itself) and is
 *   refused with 403 unless the browser says that it comes from the gateway's own pages.
 * - 401 `Not signed in`: show the sign-in page. 403: signed in, but not for this (an account on an operator's
 *   route, the other way round, or suspended). 404 also for what is somebody else's.
 * - Errors are `Failure`. Lists are newest first, with `limit` (1..200, default 50), `cursor` and `nextCursor`.
 *
 * Who may call is said per route: anyone, signed in, account, operator. The operator's routes are also under
 * `/operator/api/…` instead of `/dashboard/api/operator/…`, with a bearer operator token instead of the cookie.
 */

const Timestamp = Type.String({ format: 'date-time' });
const Day = Type.String({ format: 'date' });
const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const NextCursor = nullable(Type.String());
const Email = Type.String({ minLength: 3, maxLength: 254 });
const Name = Type.String({ maxLength: 200 });

/** As interface A words it, and the request's field that it is about where that can be told. */
export const Failure = Type.Object({
  error: Type.String(),
  code: Type.Optional(Type.String()),
  detail: Type.Optional(Type.String()),
  field: Type.Optional(Type.String()),
});
export type Failure = Static<typeof Failure>;

/** What a POST without anything to say answers. */
export const Done = Type.Object({ done: Type.Literal(true) });
export type Done = Static<typeof Done>;

// ---- People ----------------------------------------------------------------------------------------------------

export const roles = ['account', 'operator'] as const;
export type Role = (typeof roles)[number];

export const passwordLength = { min: 10, max: 200 } as const;
const Password = Type.String({ minLength: passwordLength.min, maxLength: passwordLength.max });

/**
 * GET /dashboard/api/me (signed in). Also what a sign-in answers.
 */
export const Person = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: Type.Enum(roles),
  account: nullable(AccountProfile),
});
export type Person = Static<typeof Person>;

/**
 * POST /dashboard/api/sign-in (anyone) → Person, and the cookie.
 * 401 `E-mail address or password is wrong`, 403 for a suspended account, 429 with `retry-after`.
 */
export const SignIn = Type.Object({
  email: Type.String({ maxLength: 254 }),
  password: Type.String({ maxLength: 200 }),
});
export type SignIn = Static<typeof SignIn>;

/**
 * POST /dashboard/api/sign-out (anyone) → Done. This browser's cookie is dead.
 * POST /dashboard/api/sign-out-everywhere (signed in) → Done. Every cookie of this person is dead, this one too.
 */

/** POST /dashboard/api/password (signed in) → Done. Signs all other browsers out. 400 with `field: current`. */
export const PasswordChange = Type.Object({ current: Type.String({ maxLength: 200 }), password: Password });
export type PasswordChange = Static<typeof PasswordChange>;

/**
 * Invitations and password resets are links to `/welcome#token=…` that work once: the page takes the token out
 * of the fragment (and out of the address bar).
 *
 * POST /dashboard/api/link/look (anyone), LinkToken → Link. 410 `This link was used or has run out` .
 */
export const LinkToken = Type.Object({ token: Type.String({ maxLength: 200 }) });
export type LinkToken = Static<typeof LinkToken>;

export const linkKinds = ['invitation', 'reset'] as const;
export type LinkKind = (typeof linkKinds)[number];
export const Link = Type.Object({
  kind: Type.Enum(linkKinds),
  email: Type.String(),
  role: Type.Enum(roles),
  expiresAt: Timestamp,
});
export type Link = Static<typeof Link>;

/**
 * POST /dashboard/api/link/use (anyone) → Person, and the cookie: the password is set, and other browsers are signed
 * out. 410 as above.
 */
export const LinkUse = Type.Object({ token: Type.String({ maxLength: 200 }), password: Password });
export type LinkUse = Static<typeof LinkUse>;

// ---- An account's pages ----------------------------------------------------------------------------------------

/** Interface B's summary of one product. */
export const BandwidthSummary = Type.Object({
  product: Type.Enum(products),
  unit: Type.Literal('Gb'),
  from: Day,
  to: Day,
  window_days: Type.Integer(),
  total_value: Type.Number(),
  today_value: Type.Number(),
});
export type BandwidthSummary = Static<typeof BandwidthSummary>;

/** GET /dashboard/api/overview (account). */
export const Overview = Type.Object({
  account: AccountProfile,
  limits: AccountLimits,
  concurrency: ConcurrencyRecord,
  usage: Type.Object({
    browserSeconds: Type.Integer(),
    remainingSeconds: Type.Integer({ description: '2147483647: unlimited' }),
    sessions: Type.Integer({ description: 'Sessions that have ended' }),
  }),
  bandwidth: Type.Array(BandwidthSummary, { description: 'One for every product, last 30 days' }),
});
export type Overview = Static<typeof Overview>;

/** What was chosen for a session to be (`ChosenProfile` of the host's interface). */
export const Device = Type.Object({
  os: Type.String(),
  browserVersion: Type.String(),
  userAgent: Type.String(),
  languages: Type.Array(Type.String()),
  uiLanguage: Type.String(),
  timeZone: Type.String(),
  country: Type.Optional(Type.String()),
  screen: Type.Object({ width: Type.Number(), height: Type.Number(), pixelRatio: Type.Number() }),
  hardware: Type.Object({ processors: Type.Number(), memory: Type.Number(), gpu: Type.String() }),
});
export type Device = Static<typeof Device>;

/** A row of interface A's permanent record, and what a list shows beside it. */
export const SessionRowView = Type.Object({
  ...SessionRecord.properties,
  exitCountry: nullable(Type.String({ description: 'ISO 3166-1 alpha-2' })),
  viewer: Type.Boolean({ description: 'It has a live view, while it runs' }),
});
export type SessionRowView = Static<typeof SessionRowView>;

/**
 * GET /dashboard/api/running (account): what runs now. Cheap: ask every 2 seconds.
 */
export const Running = Type.Object({ concurrency: ConcurrencyRecord, sessions: Type.Array(SessionRowView) });
export type Running = Static<typeof Running>;

/**
 * GET /dashboard/api/sessions (account) → History. Every session, ended or not. `from` and `to` are the times
 * (ISO 8601) between which it was created; `text` is looked for in its id, parameters and metadata.
 */
export const HistoryQuery = Type.Object({
  status: Type.Optional(Type.Enum(sessionStatuses)),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
  text: Type.Optional(Type.String({ maxLength: 200 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  cursor: Type.Optional(Type.String()),
});
export type HistoryQuery = Static<typeof HistoryQuery>;

export const History = Type.Object({ sessions: Type.Array(SessionRowView), nextCursor: NextCursor });
export type History = Static<typeof History>;

/**
 * GET /dashboard/api/sessions/:id (account), whatever its age. 404 `Session not found`.
 * The URLs are secrets of a session that runs; null once it has ended.
 */
export const SessionDetail = Type.Object({
  ...SessionRowView.properties,
  cdpUrl: nullable(Type.String()),
  vncUrl: nullable(Type.String({ description: 'To be framed; the CSP allows its origin' })),
  device: nullable(Device),
  exitIp: nullable(Type.String()),
  host: nullable(Type.String()),
  chromiumVersion: nullable(Type.String()),
});
export type SessionDetail = Static<typeof SessionDetail>;

/**
 * POST /dashboard/api/sessions (account), the body of POST /api/browser/create → SessionDetail. Refusals are
 * interface A's, with `field` (`proxy`, `os`, `maxLifetime`, `metadata`, …). It counts as a create everywhere.
 */
export const NewSession = Type.Object({}, { additionalProperties: true });

/** POST /dashboard/api/sessions/:id/close (account), `{}` → SessionDetail. 502 when the host refuses: try again. */

/**
 * A running session's files, from the machine where its browser runs. 410 once it has ended.
 *
 * GET  /dashboard/api/sessions/:id/files (account) → SessionFiles
 * GET  /dashboard/api/sessions/:id/files/:name: leads to the file, as an attachment
 * POST /dashboard/api/sessions/:id/files/:name, the file as `application/octet-stream` → FileName. 413: no room.
 * POST /dashboard/api/sessions/:id/files/:name/remove, `{}` → FileName
 */
export const SessionFile = Type.Object({
  name: Type.String(),
  bytes: Type.Integer(),
  modifiedAt: Timestamp,
});
export type SessionFile = Static<typeof SessionFile>;
export const SessionFiles = Type.Object({ files: Type.Array(SessionFile) });
export type SessionFiles = Static<typeof SessionFiles>;
export const FileName = Type.Object({ name: Type.String() });
export type FileName = Static<typeof FileName>;

/** GET /dashboard/api/usage?from=YYYY-MM-DD&to=YYYY-MM-DD (account): every day of the range; by default the last 30. */
export const UsageByDay = Type.Object({
  totals: Usage.properties.totals,
  from: Day,
  to: Day,
  days: Type.Array(Usage.properties.days.items),
});
export type UsageByDay = Static<typeof UsageByDay>;

/**
 * Bandwidth: interface B's numbers, outside its limit of 60 requests a minute. from, to and unit as there.
 *
 * GET /dashboard/api/bandwidth (account) → Bandwidth: all products' summaries.
 * GET /dashboard/api/bandwidth/:product?from&to&unit (account) → BandwidthSeries.
 * GET /dashboard/api/bandwidth/:product/csv?from&to&unit (account) → the CSV file, as an attachment.
 * GET /dashboard/api/bandwidth/:product/countries?from&to&unit (account) → BandwidthCountries; residential only.
 */
export const Bandwidth = Type.Object({ products: Type.Array(BandwidthSummary) });
export type Bandwidth = Static<typeof Bandwidth>;

const BandwidthRange = {
  product: Type.Enum(products),
  unit: Type.Enum(Object.keys(unitDigits) as (keyof typeof unitDigits)[]),
  from: Day,
  to: Day,
};
export const BandwidthSeries = Type.Object({
  ...BandwidthRange,
  series: Type.Array(Type.Object({ traffic_date: Day, total_value: Type.Number() })),
});
export type BandwidthSeries = Static<typeof BandwidthSeries>;

export const BandwidthCountries = Type.Object({
  ...BandwidthRange,
  countries: Type.Array(Type.Object({ country: Type.String(), total_value: Type.Number() })),
});
export type BandwidthCountries = Static<typeof BandwidthCountries>;

/**
 * GET /dashboard/api/keys (account): what there is, without any secret.
 */
export const Keys = Type.Object({
  apiKey: Type.Object({ rotatedAt: nullable(Timestamp) }),
  statsToken: Type.Object({ exists: Type.Boolean(), rotatedAt: nullable(Timestamp) }),
  proxy: Type.Object({
    user: nullable(Type.String()),
    rotatedAt: nullable(Timestamp),
    url: nullable(Type.String({ description: 'Of the metered proxy, where the gateway knows it' })),
  }),
});
export type Keys = Static<typeof Keys>;

/** POST /dashboard/api/keys/api-key/rotate (account), `{}`. The old key is dead; this one is shown this once. */
export const NewApiKey = Type.Object({ apiKey: Type.String() });
export type NewApiKey = Static<typeof NewApiKey>;

/**
 * POST /dashboard/api/keys/stats-token/reveal (account), `{}`: generates one where there is none.
 * POST /dashboard/api/keys/stats-token/rotate (account), `{}`.
 */
export const StatsToken = Type.Object({ statsToken: Type.String() });
export type StatsToken = Static<typeof StatsToken>;

/**
 * POST /dashboard/api/keys/proxy/reveal (account), `{}`: generates a password where there is none.
 * POST /dashboard/api/keys/proxy/rotate (account), `{}`.
 */
export const ProxyCredentials = Type.Object({ proxyUser: Type.String(), proxyPassword: Type.String() });
export type ProxyCredentials = Static<typeof ProxyCredentials>;

/**
 * Webhooks, as under /user/api/webhooks.
 *
 * GET  /dashboard/api/webhooks (account) → Webhooks
 * POST /dashboard/api/webhooks, WebhookWish → NewWebhook. The secret is shown this once. 400 with `field`.
 * POST /dashboard/api/webhooks/:id/delete, `{}` → Done
 * GET  /dashboard/api/webhooks/:id/deliveries → Deliveries, the latest hundred
 * POST /dashboard/api/webhooks/:id/replay, ReplayWish → Replayed
 */
export const Webhooks = WebhookList;
export type Webhooks = Static<typeof WebhookList>;
export type WebhookWish = { url: string; events: EventType[] };
export const Deliveries = DeliveryList;
export type Deliveries = Static<typeof DeliveryList>;
export type ReplayWish = { eventId: string } | { since: string };

/**
 * GET  /dashboard/api/profiles (account) → SavedProfileList, as under /user/api/profiles
 * POST /dashboard/api/profiles/:name/delete (account), `{}` → Done. 409 while a session that will save it runs.
 */

// ---- The operator's pages --------------------------------------------------------------------------------------

/** GET /dashboard/api/operator/overview (operator). */
export const OperatorOverview = Type.Object({
  accounts: Type.Object({ active: Type.Integer(), suspended: Type.Integer() }),
  sessions: Type.Object({ running: Type.Integer(), starting: Type.Integer() }),
  hosts: Type.Object({ live: Type.Integer(), draining: Type.Integer(), lost: Type.Integer() }),
  seats: nullable(Type.Integer({ description: 'On hosts that take sessions, where they say' })),
});
export type OperatorOverview = Static<typeof OperatorOverview>;

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

/** GET /dashboard/api/operator/accounts (operator); `text` is looked for in id, e-mail address and name. */
export const AccountsQuery = Type.Object({
  text: Type.Optional(Type.String({ maxLength: 200 })),
  status: Type.Optional(Type.Enum(accountStatuses)),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  cursor: Type.Optional(Type.String()),
});
export type AccountsQuery = Static<typeof AccountsQuery>;

export const AccountPage = Type.Object({ accounts: Type.Array(OperatorAccount), nextCursor: NextCursor });
export type AccountPage = Static<typeof AccountPage>;

/** POST /dashboard/api/operator/accounts (operator) → NewAccountSecrets. 400 with `field: email`. */
export const NewAccount = Type.Object({
  email: Email,
  name: Type.Optional(Name),
  limits: Type.Optional(Type.Partial(OperatorLimits)),
});
export type NewAccount = Static<typeof NewAccount>;

/** To `/welcome#token=…`; shown this once. */
export const MadeLink = Type.Object({ url: Type.String(), expiresAt: Timestamp });
export type MadeLink = Static<typeof MadeLink>;

export const NewAccountSecrets = Type.Object({
  account: OperatorAccount,
  apiKey: Type.String(),
  statsToken: Type.String(),
  proxyUser: Type.String(),
  proxyPassword: Type.String(),
  invitation: MadeLink,
});
export type NewAccountSecrets = Static<typeof NewAccountSecrets>;

/**
 * Of one account, by its id (operator). 404 `There is no such account`.
 *
 * GET  /dashboard/api/operator/accounts/:id → OperatorAccount
 * GET  /dashboard/api/operator/accounts/:id/usage?from&to → AccountUsage
 * POST /dashboard/api/operator/accounts/:id/limits, LimitChange → OperatorAccount. From its next request on.
 * POST /dashboard/api/operator/accounts/:id/suspend, `{}` → OperatorAccount
 * POST /dashboard/api/operator/accounts/:id/reinstate, `{}` → OperatorAccount
 * POST /dashboard/api/operator/accounts/:id/invitation, `{}` → MadeLink. The former link is dead. 7 days.
 * POST /dashboard/api/operator/accounts/:id/reset, `{}` → MadeLink. The former link is dead. 1 hour.
 * POST /dashboard/api/operator/accounts/:id/rotate-key, `{}` → NewApiKey
 */
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

/**
 * GET  /dashboard/api/operator/hosts (operator) → Hosts
 * POST /dashboard/api/operator/hosts/:name/drain, `{}` → Done. No new sessions; the running ones live out.
 * POST /dashboard/api/operator/hosts/:name/undrain, `{}` → Done
 * POST /dashboard/api/operator/hosts/:name/remove, `{}` → Done. 400 unless it is lost, or drained and empty.
 */
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

/**
 * GET  /dashboard/api/operator/sessions (operator) → OperatorSessions. HistoryQuery, and `account` (id) and `host`;
 *      `text` is also looked for in the e-mail address.
 * GET  /dashboard/api/operator/sessions/:id → OperatorSession
 * POST /dashboard/api/operator/sessions/:id/close, `{}` → OperatorSession
 */
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

/** GET /dashboard/api/operator/products (operator): all accounts together, and who reports. */
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

/** GET /dashboard/api/operator/ingestion?refused=true&limit&cursor (operator); kept for 90 days. */
export const Ingestion = Type.Object({ batches: Type.Array(IngestionBatch), nextCursor: NextCursor });
export type Ingestion = Static<typeof Ingestion>;

export const auditActions = [
  'account.create',
  'account.limits',
  'account.suspend',
  'account.reinstate',
  'account.invitation',
  'account.reset',
  'key.rotate',
  'stats-token.rotate',
  'proxy-password.rotate',
  'password.set',
  'operator.invitation',
  'operator.remove',
  'operator-token.create',
  'operator-token.revoke',
  'host.drain',
  'host.undrain',
  'host.remove',
  'session.close',
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

/** GET /dashboard/api/operator/audit (operator) → AuditPage; `text` is looked for in actor and target. */
export const AuditQuery = Type.Object({
  action: Type.Optional(Type.Enum(auditActions)),
  text: Type.Optional(Type.String({ maxLength: 200 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  cursor: Type.Optional(Type.String()),
});
export type AuditQuery = Static<typeof AuditQuery>;

export const AuditPage = Type.Object({ entries: Type.Array(AuditEntry), nextCursor: NextCursor });
export type AuditPage = Static<typeof AuditPage>;

/**
 * Tokens for machines.
 *
 * GET  /dashboard/api/operator/tokens (operator) → OperatorTokens
 * POST /dashboard/api/operator/tokens, NewOperatorToken → MadeOperatorToken. Shown this once.
 * POST /dashboard/api/operator/tokens/:id/revoke, `{}` → Done
 */
export const OperatorTokens = Type.Object({
  tokens: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), createdAt: Timestamp })),
});
export type OperatorTokens = Static<typeof OperatorTokens>;

export const NewOperatorToken = Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) });
export type NewOperatorToken = Static<typeof NewOperatorToken>;
export const MadeOperatorToken = Type.Object({ id: Type.String(), token: Type.String() });
export type MadeOperatorToken = Static<typeof MadeOperatorToken>;

/**
 * Other operators.
 *
 * GET  /dashboard/api/operator/operators (operator) → Operators
 * POST /dashboard/api/operator/operators, NewOperator → MadeLink. For one that is there already: a new link.
 * POST /dashboard/api/operator/operators/:id/remove, `{}` → Done. 400 for the last one, and for oneself.
 */
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
