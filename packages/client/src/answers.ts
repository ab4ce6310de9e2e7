/** The service's answers. A test checks these types against the gateway's schemas. */

export type SessionStatus = 'ACTIVE' | 'CLOSED' | 'DEAD' | 'EXPIRED';

/** Why a session ended: more than its status says. */
export type EndReason =
  | 'client_close'
  | 'lifetime'
  | 'browser_closed'
  | 'browser_crashed'
  | 'out_of_memory'
  | 'stalled'
  | 'host_stopped'
  | 'host_lost'
  | 'operator'
  | 'idle';

export interface SessionListItem {
  /** The session id: what `reconnectUrl`, `status` and `close` take. */
  browserId: string;
  cdpUrl: string;
  status: SessionStatus;
  /** ISO 8601, UTC, as all times here. */
  createdAt: string;
  /** When the lifetime ends. Trust this value: `maxLifetime` is clamped silently. */
  expiresAt: string;
}

export interface Session extends SessionListItem {
  /** The live view's page, if one was asked for and started. */
  vncUrl?: string;
  /** What was asked for; the proxy's password is masked. */
  browserParams: Record<string, unknown>;
  /** Your metadata, and the gateway's under `turnpike`. An integer past 2^53 is a bigint with all its digits. */
  metadata: Record<string, unknown>;
}

/** The entry of `statuses` for an id that is no readable session of the account. */
export interface NoSession {
  /** The id as it was asked for. */
  browserId: string;
  status: 'NOT_FOUND';
}

export interface CloseResult {
  browserId: string;
  status: SessionStatus;
}

/** Why a request came to nothing: the create parameter that refused it, or that the proxy did not carry it. */
export type RefusalReason = 'allow_hosts' | 'block_hosts' | 'block' | 'max_bytes' | 'proxy_failure';

/** What was sent to one destination, or to several together, and came from there. */
export interface TrafficUse {
  /** Plain HTTP requests. */
  requests: number;
  /** Tunnels, for HTTPS and WebSockets. */
  tunnels: number;
  bytesUp: number;
  bytesDown: number;
  /** Requests and tunnels that came to nothing; only reasons that occurred. */
  refused: { [reason in RefusalReason]?: number };
}

export interface TrafficSummary {
  bytesFromCache: number;
  maxBytesReached: boolean;
  refused: TrafficUse['refused'];
  /** The ten largest, the largest first. */
  destinations: (TrafficUse & { host: string; port: number })[];
  /** All other destinations together. */
  other: TrafficUse;
}

/** Types of resources that a browser tells apart. */
export type ResourceType =
  | 'document'
  | 'script'
  | 'stylesheet'
  | 'image'
  | 'media'
  | 'font'
  | 'xhr'
  | 'other';

/** Where a session's traffic went. `destinations` and `other` add up to `bytesUp` and `bytesDown` exactly. */
export interface SessionTraffic {
  browserId: string;
  status: SessionStatus;
  /** Read from the browser just now. Otherwise it is what was stored last, final for an ended session. */
  live: boolean;
  asOf: string;
  bytesUp: number;
  bytesDown: number;
  /** Bytes that came from the browser's cache instead of the proxy. */
  bytesFromCache: number;
  /** `maxBytes` of the create. */
  maxBytes: number | null;
  maxBytesReached: boolean;
  refused: TrafficUse['refused'];
  /** The 1,000 largest, the largest first. */
  destinations: (TrafficUse & { host: string; port: number; firstAt: string; lastAt: string })[];
  /** All other destinations together. */
  other: TrafficUse;
  /** Bytes by type of resource, as the browser tells them. Null where the host does not estimate it. */
  estimate: { [type in ResourceType]?: number } | null;
}

/** Traffic on one day. */
export interface DayTrafficUse {
  requests: number;
  tunnels: number;
  bytesUp: number;
  bytesDown: number;
  /** Requests and tunnels that came to nothing. */
  refused: number;
}

export interface AccountTraffic {
  from: string;
  to: string;
  /** UTC days on which sessions ended, the latest first. */
  days: {
    date: string;
    bytesUp: number;
    bytesDown: number;
    bytesFromCache: number;
    refused: number;
    /** The largest first. */
    destinations: (DayTrafficUse & { host: string; port: number })[];
    /** All other destinations together. */
    other: DayTrafficUse;
  }[];
}

/** A row of the permanent record. While the session runs, `endedAt` is null and nothing is billed yet. */
export interface SessionRecord {
  browserId: string;
  status: SessionStatus;
  createdAt: string;
  expiresAt: string;
  endedAt: string | null;
  durationSeconds: number;
  billedSeconds: number;
  /** Null while it runs. */
  endReason: EndReason | null;
  /** The signal that ended the browser, where there was one. */
  endSignal?: string;
  bytesUp: number;
  bytesDown: number;
  /** Where its traffic went, once it has ended: the ten largest destinations. */
  traffic?: TrafficSummary;
  /** How many requests `block` refused, by what for: `{ images: 12, ads: 3 }`. Only of a session with `block`. */
  refusedRequests?: Partial<
    Record<'images' | 'media' | 'fonts' | 'stylesheets' | 'ads' | 'trackers', number>
  >;
  /** An estimate of the bytes that came from its HTTP cache. Only of a session with `cache`. */
  bytesFromCache?: number;
  browserParams: Record<string, unknown>;
  metadata: Record<string, unknown>;
}

export interface SessionPage {
  sessions: SessionRecord[];
  nextCursor: string | null;
}

export interface Limits {
  limit: number;
  active: number;
  /** Free slots; creates in progress are subtracted too. */
  remaining: number;
  unlimited: boolean;
}

export interface Me {
  account: { id: string; email: string; name: string; status: 'active' | 'suspended'; createdAt: string };
  limits: { concurrent: number; unlimited: boolean; createsPerMinute: number; browserSecondsCap: number };
  usage: { browserSeconds: number; remainingSeconds: number; sessions: number };
}

export interface Usage {
  totals: {
    sessions: number;
    browserSeconds: number;
    remainingSeconds: number;
    bytesUp: number;
    bytesDown: number;
  };
  /** At most 30 UTC days, oldest first. A session counts on the day it ended. */
  days: { date: string; sessions: number; browserSeconds: number; bytesUp: number; bytesDown: number }[];
}

export type EventType =
  | 'session.started'
  | 'session.closed'
  | 'session.expired'
  | 'session.dead'
  | 'recording.ready'
  | 'usage.80'
  | 'usage.cap_reached';

export interface AccountEvent {
  /** The same however often it is sent. */
  id: string;
  /** The event's number in the account: what `events` takes as `lastEventId`. */
  seq: number;
  type: EventType;
  timestamp: string;
  /** For a session: its record. For a recording: its summary. For usage: `browserSeconds`, `browserSecondsCap` and `remainingSeconds`. */
  data: Record<string, unknown>;
}

export interface Webhook {
  id: string;
  url: string;
  /** Event types that it gets; empty: all. */
  events: EventType[];
  /** Disabled by an answer of 410. */
  status: 'enabled' | 'disabled';
  createdAt: string;
}

export interface NewWebhook extends Webhook {
  /** The key of its signatures, shown only once. */
  secret: string;
}

export interface Delivery {
  eventId: string;
  seq: number;
  type: EventType;
  browserId: string | null;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  nextAttemptAt: string | null;
  lastError: string | null;
  createdAt: string;
}

/** A session's file. Its browser finds it at `/home/user/files/<name>`. */
export interface SessionFile {
  name: string;
  bytes: number;
  modifiedAt: string;
}

/** A signed statement about a session; `turnpike receipt verify` checks it. */
export interface Receipt {
  statement: Record<string, unknown>;
  protected: string;
  signature: string;
}

/** A JSON Web Key Set. */
export interface ReceiptKeys {
  keys: Record<string, unknown>[];
}

export interface SavedProfile {
  name: string;
  /** Size as stored, compressed. */
  bytes: number;
  updatedAt: string;
  /** A session that will save it runs. */
  inUse: boolean;
}

/** A saved HTTP cache. */
export type SavedCache = SavedProfile;

/** What a session did; see `record`. */
export interface RecordingSummary {
  sessionId: string;
  startedAt: string;
  /** Null while the session runs. */
  endedAt: string | null;
  /** `ready`: nothing more will come. Both can be read. */
  state: 'recording' | 'ready';
  durationMs: number;
  events: number;
  /** Failed requests, exceptions, console errors, failed commands and crashes. */
  errors: number;
  /** Those that are kept. */
  pictures: number;
  bytes: number;
  /** Whether it ended early, because it, or all recordings of the account, grew too large. */
  isFull: boolean;
  /** How much of the session is missing at its end, because it could not be stored; 0: nothing. */
  missingMs: number;
  /** When it will be deleted. */
  expiresAt: string;
}

export interface RecordingPage {
  recordings: RecordingSummary[];
  nextCursor: string | null;
}

export interface Recording extends RecordingSummary {
  /** Parts of about two seconds, in order. Times are milliseconds since the start. */
  chunks: {
    index: number;
    fromMs: number;
    toMs: number;
    events: number;
    errors: number;
    /** Empty where the pictures were deleted to make room. */
    pictureTimes: number[];
  }[];
}

/** One thing that happened. The guide to recordings lists the kinds and their members. */
export interface RecordedEvent {
  /** Milliseconds since the start. */
  t: number;
  kind: string;
  /** The number of the tab, from 1, where there is one. */
  tab?: number;
  [member: string]: unknown;
}

export type RecordingFormat = 'har' | 'ndjson' | 'webm';

export interface ShareLink {
  url: string;
  expiresAt: string;
}

export interface NewKey {
  apiKey: string;
}

export interface Health {
  status: string;
  uptime: number;
}

/** Bandwidth over a rolling 30 days, up to today. Members have the service's own names. */
export interface Summary {
  product: string;
  unit: string;
  from: string;
  to: string;
  window_days: number;
  total_value: number;
  today_value: number;
}

export interface Bandwidth {
  product: string;
  unit: string;
  from: string;
  to: string;
  /** One element a day, zeros included. */
  series: { traffic_date: string; total_value: number }[];
}

export interface Countries {
  product: string;
  unit: string;
  from: string;
  to: string;
  /** ISO 3166-1 alpha-2, `ZZ` where unknown; largest first. */
  countries: { country: string; total_value: number }[];
}
