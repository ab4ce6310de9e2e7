import { type Static, Type } from 'typebox';
import { AccountLimits, AccountProfile, ConcurrencyRecord, Usage } from '../account.ts';
import { products, unitDigits } from '../bandwidth.ts';
import { Event, eventTypes } from '../events.ts';
import { SessionRecord, sessionStatuses } from '../session.ts';
import { Destination } from '../traffic.ts';
import { DayDestination, SessionTraffic } from '../traffic-answers.ts';
import { Day, NextCursor, nullable, PageQuery, SearchText, Timestamp } from './common.ts';

/** What an account's pages send and get. */

/** Bandwidth of one product, as the statistics API has it. */
export const BandwidthSummary = Type.Object(
  {
    product: Type.Enum(products),
    unit: Type.Literal('Gb'),
    from: Day,
    to: Day,
    window_days: Type.Integer(),
    total_value: Type.Number(),
    today_value: Type.Number(),
  },
  { description: 'Bandwidth over a rolling 30 days, up to today' },
);
export type BandwidthSummary = Static<typeof BandwidthSummary>;

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

export const ProxySums = Type.Object({
  proxies: Type.Array(
    Type.Object({
      name: Type.String(),
      bytesUp: Type.Integer(),
      bytesDown: Type.Integer(),
      cost: nullable(Type.Number()),
    }),
  ),
});
export type ProxySums = Static<typeof ProxySums>;

/** The device that a session's browser reports (`ChosenProfile` of the host's interface). */
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

/** A row of the permanent record, and what a list shows beside it. */
export const SessionRowView = Type.Object({
  ...SessionRecord.properties,
  exitCountry: nullable(Type.String({ description: 'ISO 3166-1 alpha-2' })),
  viewer: Type.Boolean({ description: 'It has a live view, while it runs' }),
  connectedAt: nullable(Type.String({ format: 'date-time', description: 'Its first CDP client connected' })),
  disconnectedAt: nullable(
    Type.String({
      format: 'date-time',
      description: 'Its last CDP client disconnected, if none is connected',
    }),
  ),
});
export type SessionRowView = Static<typeof SessionRowView>;

export const Running = Type.Object({ concurrency: ConcurrencyRecord, sessions: Type.Array(SessionRowView) });
export type Running = Static<typeof Running>;

/** `from` and `to` bound the creation time (ISO 8601); `text` is searched in id, name, tags, parameters and metadata. */
export const HistoryQuery = Type.Object({
  status: Type.Optional(Type.Enum(sessionStatuses)),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
  text: Type.Optional(SearchText),
  tag: Type.Optional(Type.String({ maxLength: 200 })),
  ...PageQuery,
});
export type HistoryQuery = Static<typeof HistoryQuery>;

export const History = Type.Object({ sessions: Type.Array(SessionRowView), nextCursor: NextCursor });
export type History = Static<typeof History>;

/** One session. The URLs are secrets of a running session; they are null once it has ended. */
export const SessionDetail = Type.Object({
  ...SessionRowView.properties,
  cdpUrl: nullable(Type.String()),
  webdriverUrl: nullable(Type.String()),
  vncUrl: nullable(Type.String({ description: 'To be framed; the CSP allows its origin' })),
  device: nullable(Device),
  exitIp: nullable(Type.String()),
  host: nullable(Type.String()),
  chromiumVersion: nullable(Type.String()),
});
export type SessionDetail = Static<typeof SessionDetail>;

/** Destinations on a page. The CSV file has them all. */
export const shownDestinations = 100;

const { live, bytesUp, bytesDown, bytesFromCache, maxBytes, maxBytesReached, refused, other, estimate } =
  SessionTraffic.properties;
const { proxies, cost, costOfOneProxy } = SessionTraffic.properties;

/** Where a session's traffic went, whatever its age. */
export const SessionTrafficView = Type.Object({
  live,
  bytesUp,
  bytesDown,
  bytesFromCache,
  maxBytes,
  maxBytesReached,
  refused,
  other,
  estimate,
  proxies,
  cost,
  costOfOneProxy,
  destinations: Type.Array(Destination, { description: 'The largest first' }),
  complete: Type.Boolean({
    description:
      'All destinations are stored, and can be downloaded with the receipt. Later the ten largest are left',
  }),
});
export type SessionTrafficView = Static<typeof SessionTrafficView>;

const TrafficSums = Type.Omit(DayDestination, ['host', 'port']);

/** The account's traffic in a range of days: every day, and the largest destinations of them all. */
export const TrafficByDay = Type.Object({
  from: Day,
  to: Day,
  days: Type.Array(Type.Object({ date: Day, bytesUp: Type.Integer(), bytesDown: Type.Integer() })),
  totals: Type.Object({ ...TrafficSums.properties, bytesFromCache }),
  destinations: Type.Array(DayDestination, { description: 'The largest first' }),
  other: TrafficSums,
});
export type TrafficByDay = Static<typeof TrafficByDay>;

/** The body of POST /api/browser/create. */
export const NewSession = Type.Object({}, { additionalProperties: true });

export const SessionFile = Type.Object(
  { name: Type.String(), bytes: Type.Integer(), modifiedAt: Timestamp },
  { description: "A running session's file. Its browser finds it at `/home/user/files/<name>`" },
);
export type SessionFile = Static<typeof SessionFile>;
export const SessionFiles = Type.Object({ files: Type.Array(SessionFile) });
export type SessionFiles = Static<typeof SessionFiles>;
export const FileName = Type.Object({ name: Type.String() });
export type FileName = Static<typeof FileName>;

export const DayRangeQuery = Type.Object({ from: Type.Optional(Day), to: Type.Optional(Day) });
export type DayRangeQuery = Static<typeof DayRangeQuery>;

/** Every day of the range; by default the last 30. */
export const UsageByDay = Type.Object({
  totals: Usage.properties.totals,
  from: Day,
  to: Day,
  days: Type.Array(Usage.properties.days.items),
});
export type UsageByDay = Static<typeof UsageByDay>;

/** Percent of the browser hours, and gigabytes in a UTC month. */
export const alertMetrics = ['hours', 'bandwidth'] as const;
export type AlertMetric = (typeof alertMetrics)[number];

/** When the account's users get an e-mail. */
export const UsageAlerts = Type.Object({
  hoursPercent: Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), { maxItems: 10 }),
  bandwidthGigabytes: nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
});
export type UsageAlerts = Static<typeof UsageAlerts>;

export const UsageAlertsView = Type.Object({
  ...UsageAlerts.properties,
  available: Type.Boolean({ description: 'The operator has set an SMTP server' }),
  recipients: Type.Array(Type.String()),
});
export type UsageAlertsView = Static<typeof UsageAlertsView>;

export const Bandwidth = Type.Object({ products: Type.Array(BandwidthSummary) });
export type Bandwidth = Static<typeof Bandwidth>;

const Unit = Type.Enum(Object.keys(unitDigits) as (keyof typeof unitDigits)[]);
export const BandwidthQuery = Type.Object({
  ...DayRangeQuery.properties,
  unit: Type.Optional(Unit),
});

const BandwidthRange = { product: Type.Enum(products), unit: Unit, from: Day, to: Day };
export const BandwidthSeries = Type.Object({
  ...BandwidthRange,
  series: Type.Array(Type.Object({ traffic_date: Day, total_value: Type.Number() }), {
    description: 'One element a day, zeros included',
  }),
});
export type BandwidthSeries = Static<typeof BandwidthSeries>;

export const BandwidthCountries = Type.Object({
  ...BandwidthRange,
  countries: Type.Array(
    Type.Object({
      country: Type.String({ description: 'ISO 3166-1 alpha-2, `ZZ` where unknown' }),
      total_value: Type.Number(),
    }),
    { description: 'The largest first' },
  ),
});
export type BandwidthCountries = Static<typeof BandwidthCountries>;

/** Which keys exist, without any secret. */
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

export const NewApiKey = Type.Object({ apiKey: Type.String() });
export type NewApiKey = Static<typeof NewApiKey>;

export const StatsToken = Type.Object({ statsToken: Type.String() });
export type StatsToken = Static<typeof StatsToken>;

export const ProxyCredentials = Type.Object({ proxyUser: Type.String(), proxyPassword: Type.String() });
export type ProxyCredentials = Static<typeof ProxyCredentials>;

export const EventsQuery = Type.Object({
  type: Type.Optional(Type.Enum(eventTypes)),
  session: Type.Optional(Type.String({ maxLength: 100 })),
  ...PageQuery,
});
export type EventsQuery = Static<typeof EventsQuery>;

export const EventPage = Type.Object({ events: Type.Array(Event), nextCursor: NextCursor });
export type EventPage = Static<typeof EventPage>;

export const WebhookRequest = Type.Object({ url: Type.String(), events: Type.Array(Type.Enum(eventTypes)) });
export type WebhookRequest = Static<typeof WebhookRequest>;

/** What a webhook's receiver answered to a test. */
export const WebhookTest = Type.Object({
  ok: Type.Boolean(),
  status: nullable(Type.Integer({ description: 'HTTP status; null: there was no answer' })),
  error: nullable(Type.String()),
});
export type WebhookTest = Static<typeof WebhookTest>;

/** One event, or all since a time. */
export const ReplayRequest = Type.Union([
  Type.Object({ eventId: Type.String() }),
  Type.Object({ since: Timestamp }),
]);
export type ReplayRequest = Static<typeof ReplayRequest>;
