// Written by scripts/generate/client-types.ts from docs/openapi.json: do not edit.

/** The service's answers. Times are ISO 8601, UTC, with milliseconds. */

/** ACTIVE runs. CLOSED was closed, EXPIRED reached its lifetime, DEAD lost its browser. */
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

export type Product = 'residential' | 'rotating-isp' | 'rotating-dc' | 'web-unblocker';

export type Unit = 'Kb' | 'Mb' | 'Gb' | 'Tb';

export type EventType =
  | 'session.started'
  | 'session.standby'
  | 'session.woke'
  | 'session.closed'
  | 'session.expired'
  | 'session.dead'
  | 'recording.ready'
  | 'usage.80'
  | 'usage.cap_reached'
  | 'crawl.started'
  | 'crawl.progress'
  | 'crawl.finished'
  | 'session.proxy_failed'
  | 'session.exit_changed'
  | 'proxy.failing'
  | 'proxy.recovered'
  | 'proxy.exit_changed';

export type RecordingFormat = 'har' | 'ndjson' | 'webm';

/**
 * Why a request came to nothing: the create parameter that refused it, or that the proxy did not carry it.
 */
export type RefusalReason =
  | 'allow_hosts'
  | 'block_hosts'
  | 'block'
  | 'max_bytes'
  | 'proxy_pin_exit'
  | 'proxy_failure';

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

export interface SessionListItem {
  /** Session id, as in `x-session-id`; what a reconnect takes. */
  browserId: string;
  /** WebSocket URL for CDP clients. Whoever has it has the browser. */
  cdpUrl: string;
  /** ACTIVE runs. CLOSED was closed, EXPIRED reached its lifetime, DEAD lost its browser. */
  status: SessionStatus;
  createdAt: string;
  /** When the lifetime runs out. The value to trust: `maxLifetime` is clamped. */
  expiresAt: string;
  /** The name that people gave it. */
  name?: string;
  /** Words to find it by. */
  tags?: string[];
}

export interface Session extends SessionListItem {
  /** WebSocket URL for WebDriver BiDi, where the host offers it. */
  bidiUrl?: string;
  /** WebSocket URL for Playwright's own protocol (`chromium.connect`), where the host offers it. */
  playwrightUrl?: string;
  /** URL for WebDriver clients, where the host offers it. */
  webdriverUrl?: string;
  /** Live view, where the session has one. */
  vncUrl?: string;
  /** Whether it is asleep; only of a session with `standby`. */
  standby?: boolean;
  /** Since when it is asleep; only while it is. */
  standbySince?: string;
  /**
   * What was asked for, under the names of a create: `os`, `proxy` (its password is `***`), `headless`,
   * `vnc`, `maxLifetime` and the rest as given, with `idleTimeout` and `saveProfile` under these older names;
   * `profile` is the device that the session claims to be, `savedProfile` the saved profile that it began
   * with.
   */
  browserParams: Record<string, unknown>;
  /**
   * The object given at the create. The gateway's own facts are under `turnpike`: the host's name, the
   * Chromium version and, where they could be measured, the proxy's exit IP and country; of a session that
   * was to save its profile, `profileSaved`, and where that is false `profileError` says why; of its cache
   * `cacheSaved` and `cacheError`. An integer past 2^53 is a bigint with all its digits.
   */
  metadata: Record<string, unknown>;
}

/** What a bulk status has for an id that is no readable session of the account. */
export interface NoSession {
  /** The id as it was asked for. */
  browserId: string;
  /** No session of the caller's has this id. */
  status: 'NOT_FOUND';
}

export interface CloseResult {
  /** Session id, as in `x-session-id`; what a reconnect takes. */
  browserId: string;
  /** ACTIVE runs. CLOSED was closed, EXPIRED reached its lifetime, DEAD lost its browser. */
  status: SessionStatus;
}

/** What was sent to one destination, or to several together, and came from there. */
export interface TrafficUse {
  /** Plain HTTP requests. */
  requests: number;
  /** Tunnels, for HTTPS and WebSockets. */
  tunnels: number;
  /** Bytes to the proxy. */
  bytesUp: number;
  /** Bytes from the proxy. */
  bytesDown: number;
  /**
   * Requests and tunnels that came to nothing, by what refused them: a create parameter, or `proxy_failure`
   * where the proxy did not carry them. Only reasons that occurred are there.
   */
  refused: { [name in RefusalReason]?: number };
}

export interface SummaryDestination extends TrafficUse {
  /** Name or address. */
  host: string;
  port: number;
  /** `name:<saved proxy>`, or its URL with a masked password. */
  proxy?: string;
}

/** Where its traffic went, once it has ended: the largest destinations. */
export interface TrafficSummary {
  /** Bytes that came from the browser's cache instead of the proxy. */
  bytesFromCache: number;
  /** The session has used its `maxBytes`. */
  maxBytesReached: boolean;
  /**
   * Requests and tunnels that came to nothing, by what refused them: a create parameter, or `proxy_failure`
   * where the proxy did not carry them. Only reasons that occurred are there.
   */
  refused: { [name in RefusalReason]?: number };
  /** The 10 largest, the largest first. */
  destinations: SummaryDestination[];
  /** All other destinations together. */
  other: TrafficUse;
}

/** One row of the permanent record. While the session runs, `endedAt` is null and nothing is billed yet. */
export interface SessionRecord {
  /** Session id, as in `x-session-id`; what a reconnect takes. */
  browserId: string;
  /** ACTIVE runs. CLOSED was closed, EXPIRED reached its lifetime, DEAD lost its browser. */
  status: SessionStatus;
  createdAt: string;
  /** When the lifetime runs out. The value to trust: `maxLifetime` is clamped. */
  expiresAt: string;
  /** Null while it runs. */
  endedAt: string | null;
  /** So far, while it runs. */
  durationSeconds: number;
  /** At least 30 once it has ended; 0 until then. */
  billedSeconds: number;
  /** Whole seconds that it has been asleep; only of a session with `standby`. */
  standbySeconds?: number;
  /** What a second asleep costs, of one awake; only of a session with `standby`. */
  standbyFactor?: number;
  /** Why it ended; null while it runs. */
  endReason: EndReason | null;
  /** The signal that ended the browser, where there was one: SIGSEGV. */
  endSignal?: string;
  /** Bytes that it sent to its proxy. */
  bytesUp: number;
  /** Bytes that came from its proxy. */
  bytesDown: number;
  /** Where its traffic went, once it has ended: the largest destinations. */
  traffic?: TrafficSummary;
  /**
   * How many requests `block` refused, by what for, as `{"images": 12, "ads": 3}`; only of a session with
   * `block`.
   */
  refusedRequests?: {
    images?: number;
    media?: number;
    fonts?: number;
    stylesheets?: number;
    ads?: number;
    trackers?: number;
  };
  /** An estimate of the bytes that came from its HTTP cache and not from its proxy; only with `cache`. */
  bytesFromCache?: number;
  /** Its name; where it has none, the text `name` of its metadata. */
  name?: string;
  /** Words to find it by. */
  tags?: string[];
  /**
   * What was asked for, under the names of a create: `os`, `proxy` (its password is `***`), `headless`,
   * `vnc`, `maxLifetime` and the rest as given, with `idleTimeout` and `saveProfile` under these older names;
   * `profile` is the device that the session claims to be, `savedProfile` the saved profile that it began
   * with.
   */
  browserParams: Record<string, unknown>;
  /**
   * The object given at the create. The gateway's own facts are under `turnpike`: the host's name, the
   * Chromium version and, where they could be measured, the proxy's exit IP and country; of a session that
   * was to save its profile, `profileSaved`, and where that is false `profileError` says why; of its cache
   * `cacheSaved` and `cacheError`. An integer past 2^53 is a bigint with all its digits.
   */
  metadata: Record<string, unknown>;
}

export interface SessionPage {
  sessions: SessionRecord[];
  /** Give it as `cursor` for the next page; null on the last one. */
  nextCursor: string | null;
}

export interface TrafficDestination extends TrafficUse {
  /** Name or address. */
  host: string;
  port: number;
  /** `name:<saved proxy>`, or its URL with a masked password. */
  proxy?: string;
  /** First use. */
  firstAt: string;
  /** Last use. */
  lastAt: string;
}

/** What one proxy of a session has carried. */
export interface ProxyTraffic {
  /** `name:<saved proxy>`, or its URL with a masked password. */
  proxy: string;
  /** Bytes to it. */
  bytesUp: number;
  /** Bytes from it. */
  bytesDown: number;
  /** Connections to it that were tried. */
  connections: number;
  /** Those that failed, by cause. Only causes that occurred are there. */
  failures: {
    unreachable?: number;
    refused?: number;
    timeout?: number;
    broke?: number;
    tls?: number;
    credentials?: number;
  };
  /** By the price of the saved proxy when the session began to use it. Null: it has none. */
  cost: number | null;
}

/** Where a session's traffic went. `destinations` and `other` add up to `bytesUp` and `bytesDown` exactly. */
export interface SessionTraffic {
  browserId: string;
  status: SessionStatus;
  /** Read from the browser just now. Otherwise it is what was stored last, final for an ended session. */
  live: boolean;
  asOf: string;
  /** Bytes to the proxy: the sum of `destinations` and `other`. */
  bytesUp: number;
  /** Bytes from the proxy: the sum of `destinations` and `other`. */
  bytesDown: number;
  /** Bytes that came from the browser's cache instead of the proxy. */
  bytesFromCache: number;
  /** `maxBytes` of the create. */
  maxBytes: number | null;
  /** The session has used its `maxBytes`. */
  maxBytesReached: boolean;
  /**
   * Requests and tunnels that came to nothing, by what refused them: a create parameter, or `proxy_failure`
   * where the proxy did not carry them. Only reasons that occurred are there.
   */
  refused: { [name in RefusalReason]?: number };
  /** The 1000 largest, the largest first. */
  destinations: TrafficDestination[];
  /** All other destinations together. */
  other: TrafficUse;
  /**
   * The session's proxies: its own first, then in the order of their first use. They add up to `bytesUp` and
   * `bytesDown`. Empty where the host did not tell.
   */
  proxies: ProxyTraffic[];
  /** What all of them cost. Null: the price of one is not known. */
  cost: number | null;
  /**
   * What all bytes would have cost through the first, which is the own proxy of the session. Null: it has no
   * price.
   */
  costOfOneProxy: number | null;
  /** Bytes by type of resource, as the browser tells them. Null where the host does not estimate it. */
  estimate: { [name in ResourceType]?: number } | null;
}

/** Traffic on one day. */
export interface DayTrafficUse {
  /** Plain HTTP requests. */
  requests: number;
  /** Tunnels, for HTTPS and WebSockets. */
  tunnels: number;
  /** Bytes to the proxy. */
  bytesUp: number;
  /** Bytes from the proxy. */
  bytesDown: number;
  /** Requests and tunnels that came to nothing. */
  refused: number;
}

export interface DayTrafficDestination extends DayTrafficUse {
  /** Name or address. */
  host: string;
  port: number;
}

export interface AccountTraffic {
  from: string;
  to: string;
  /** Days on which sessions ended, the latest first. */
  days: {
    /** UTC; a session counts on the day it ended. */
    date: string;
    /** Bytes to the proxy: the sum of `destinations` and `other`. */
    bytesUp: number;
    /** Bytes from the proxy: the sum of `destinations` and `other`. */
    bytesDown: number;
    bytesFromCache: number;
    /** Requests and tunnels that came to nothing. */
    refused: number;
    /** The largest, the largest first. */
    destinations: DayTrafficDestination[];
    /** All other destinations together. */
    other: DayTrafficUse;
  }[];
}

/** A signed statement about a session; `turnpike receipt verify` checks it. */
export interface Receipt {
  statement: {
    type: 'turnpike-receipt';
    version: 1;
    issuedAt: string;
    accountId: string;
    session: {
      browserId: string;
      status: string;
      createdAt: string;
      endedAt: string;
      endReason: EndReason | null;
    };
    /**
     * The session's proxy, its password masked. It carried everything, unless `traffic.proxies` has others.
     */
    proxy: string;
    traffic: {
      bytesUp: number;
      bytesDown: number;
      destinations: SummaryDestination[];
      /** All other destinations together. */
      other: TrafficUse;
      /**
       * Destinations that the host reported with more bytes than the session has. They are not listed, and
       * all bytes are in `other`.
       */
      droppedDestinations?: number;
      /** Proxies that the host reported with other bytes than the session has. They are not listed. */
      droppedProxies?: number;
      /**
       * The session's proxies: its own first, then in the order of their first use. They add up to `bytesUp`
       * and `bytesDown`. Empty where the host did not tell.
       */
      proxies?: ProxyTraffic[];
      /** What all of them cost. Null: the price of one is not known. */
      cost?: number | null;
      /**
       * What all bytes would have cost through the first, which is the own proxy of the session. Null: it has
       * no price.
       */
      costOfOneProxy?: number | null;
    };
    host: {
      name: string | null;
      /** The version of Turnpike on it. */
      version: string | null;
      chromium: string | null;
    };
    /** Null: the host was lost before it could be read, or runs without a sandbox. */
    sandbox: {
      /** Kernel namespaces that the sandbox does not share with its host. */
      namespaces: string[];
      /** All network interfaces in the sandbox. */
      interfaces: {
        name: string;
        receivedPackets: number;
        sentPackets: number;
      }[];
      /** Routes in the sandbox that lead out of it. */
      gatewayRoutes: number;
      /** Interfaces besides loopback and the unconnected pair that every sandbox has. */
      otherInterfaces: number;
      packetsOnOtherInterfaces: number;
    } | null;
  };
  /** The JWS header, as base64url. */
  protected: string;
  /** As base64url. */
  signature: string;
}

/** A JSON Web Key Set. */
export interface ReceiptKeys {
  keys: {
    kty: 'OKP';
    crv: 'Ed25519';
    alg: 'EdDSA';
    use: 'sig';
    kid: string;
    x: string;
    createdAt: string;
    /** Null: it signs today. */
    retiredAt: string | null;
  }[];
}

export interface Limits {
  /** Concurrent browsers; 2147483647 where there is no limit. */
  limit: number;
  /** Sessions that run now. */
  active: number;
  /** Free slots; creates in progress have theirs already. */
  remaining: number;
  unlimited: boolean;
}

export interface Me {
  account: {
    id: string;
    email: string;
    name: string;
    status: 'active' | 'suspended';
    createdAt: string;
  };
  limits: {
    /** 2147483647: unlimited. */
    concurrent: number;
    /** No limit on concurrent browsers. */
    unlimited: boolean;
    createsPerMinute: number;
    /** For the whole life of the account; 2147483647: unlimited. */
    browserSecondsCap: number;
  };
  usage: {
    /** Billed so far. */
    browserSeconds: number;
    /** Until the cap; 2147483647: unlimited. */
    remainingSeconds: number;
    /** Sessions that have ended. */
    sessions: number;
  };
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
  days: {
    /** UTC; a session counts on the day it ended. */
    date: string;
    sessions: number;
    browserSeconds: number;
    bytesUp: number;
    bytesDown: number;
  }[];
}

export interface NewKey {
  /** Shown this once. */
  apiKey: string;
}

export interface AccountSettings {
  /** Whether page calls and crawls are allowed. */
  pageCalls: boolean;
}

export interface ModelEndpoint {
  /** Base of an API that is compatible with OpenAI: `/chat/completions` is added. */
  url: string;
  /** The model's name. */
  model: string;
  createdAt: string;
}

export type ProxyState = 'unknown' | 'healthy' | 'failing';

export type ProxyPolicy = 'round_robin' | 'least_sessions' | 'least_bytes' | 'random' | 'sticky';

export interface ProxyHealth {
  state: ProxyState;
  since: string;
  /** When it was last dialled to see how it is. */
  checkedAt: string | null;
  /** Of the last handshake that succeeded. */
  latencyMs: number | null;
  /** Where it came out last. */
  exitIp: string | null;
  /** Where that address is. */
  exitCountry: string | null;
  /** How it failed last. */
  lastError: string | null;
}

export interface SavedProxy {
  /** Up to 64 characters. */
  name: string;
  /** Its password is masked. */
  url: string;
  tags: string[];
  /** Where it comes out; the default of `{country}`. */
  country: string | null;
  /** For people. */
  notes: string | null;
  /** What it costs. */
  pricePerGb: number | null;
  /** A create without a proxy uses it. */
  isDefault: boolean;
  /** It has a CA bundle of its own. */
  hasCa: boolean;
  /** The browsers of its sessions trust that bundle too. */
  trustCaInBrowser: boolean;
  hasClientCertificate: boolean;
  health: ProxyHealth;
  createdAt: string;
  updatedAt: string;
}

export interface ProxyPool {
  /** Up to 64 characters. */
  name: string;
  policy: ProxyPolicy;
  /** Saved proxies, in their order. */
  members: {
    /** Up to 64 characters. */
    name: string;
    state: ProxyState;
  }[];
  /** A create without a proxy uses it. */
  isDefault: boolean;
  createdAt: string;
  updatedAt: string;
}

export interface ProxyCheck {
  ok: boolean;
  /** Of the handshake with the proxy. */
  latencyMs: number | null;
  /** Where the operator has set TURNPIKE_PROXY_PROBE_URL. */
  exitIp: string | null;
  /** Where that address is. */
  exitCountry: string | null;
  /** Of the URL that was asked for. */
  fetched: {
    status: number;
    firstByteMs: number;
  } | null;
  /** How it failed. */
  error: string | null;
  checkedAt: string;
}

export interface DefaultProxy {
  /** `name:<saved proxy>` or `pool:<pool>`; null: a create must name its proxy. */
  proxy: string | null;
}

export interface ProxyDay {
  date: string;
  sessions: number;
  connections: number;
  failures: number;
  /** The mean time to the first byte of an answer. */
  firstByteMs: number | null;
  exitChanges: number;
  bytesUp: number;
  bytesDown: number;
  /** By the prices of that time. */
  cost: number | null;
}

export interface Health {
  /** `healthy`. */
  status: string;
  /** Seconds since the gateway started. */
  uptime: number;
}

export interface AccountEvent {
  /** `evt_…`; the same however often it is sent (`webhook-id`). */
  id: string;
  /** Counts the account's events; what `Last-Event-ID` takes on the stream. */
  seq: number;
  type: EventType;
  timestamp: string;
  /**
   * For a session: its record. For a recording: its summary. For a crawl: the crawl. For usage:
   * `browserSeconds`, `browserSecondsCap` and `remainingSeconds`. For a proxy: `proxy`, and what has changed;
   * `browserId` if one session has seen it.
   */
  data: Record<string, unknown>;
}

export interface Webhook {
  id: string;
  url: string;
  /** Which events it gets; empty: all. */
  events: EventType[];
  /** Disabled after an answer of 410: the receiver wants no more. */
  status: 'enabled' | 'disabled';
  createdAt: string;
}

export interface NewWebhook extends Webhook {
  /** `whsec_…`, the key of its signatures. Shown this once. */
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

/** A running session's file. Its browser finds it at `/home/user/files/<name>`. */
export interface SessionFile {
  name: string;
  bytes: number;
  modifiedAt: string;
}

export interface SavedProfile {
  name: string;
  /** As it is kept, compressed. */
  bytes: number;
  /** When it was last saved. */
  updatedAt: string;
  /** A session that will save it runs. */
  inUse: boolean;
}

export interface Snapshot {
  /** Its id, for `snapshot` of a create. */
  snapshot: string;
  /** The session that it was taken of. */
  browserId: string;
  /** What its owner called it. */
  name: string | null;
  /** As it is kept, compressed. */
  bytes: number;
  /** Tabs that are opened again. */
  tabs: number;
  /** What could not be read, in sentences. */
  lost: string[];
  createdAt: string;
  /** When it is deleted. */
  expiresAt: string;
  /** A session of its identity runs: another needs `fork=true`. */
  inUse: boolean;
}

/** A saved HTTP cache. It is kept like a profile. */
export type SavedCache = SavedProfile;

export interface Extension {
  /** Chromium's id, in every session. */
  id: string;
  /** As in its manifest. */
  name: string;
  version: string;
  /** SHA-256 of what was uploaded. */
  checksum: string;
  /** Bytes that were uploaded. */
  size: number;
  /** When this version was uploaded. */
  createdAt: string;
}

/** What a session did; see `record`. */
export interface RecordingSummary {
  sessionId: string;
  startedAt: string;
  /** Null while the session runs. */
  endedAt: string | null;
  /** `ready`: nothing more will come. Both can be read. */
  state: 'recording' | 'ready';
  /** The time of the last event. */
  durationMs: number;
  events: number;
  /** Failed requests, statuses from 400 on, exceptions, console errors, failed actions and crashes. */
  errors: number;
  /** Those that are kept. */
  pictures: number;
  /** What it takes in the storage. */
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
  /** Give it as `cursor` for the next page; null on the last one. */
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
    /** Times of its pictures, in their order; empty where they were deleted to make room. */
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

export interface ShareLink {
  /** Whoever has it can read this recording, and nothing else. */
  url: string;
  expiresAt: string;
}

export type CrawlState = 'queued' | 'running' | 'done' | 'cancelled' | 'failed';

export interface CrawlCounts {
  /** Taken up so far. */
  found: number;
  /** Still to be loaded. */
  open: number;
  /** Loaded. */
  done: number;
  /** Did not load. */
  failed: number;
  /** Left out, because of robots.txt or because nothing has changed. */
  skipped: number;
  /** Have the canonical address of another page. */
  duplicates: number;
}

export interface Crawl {
  id: string;
  state: CrawlState;
  /** Where it began; null for a batch. */
  url: string | null;
  /** The code of the limit that it waits for; null if it waits for none. */
  waiting: string | null;
  /** Why it failed. */
  why: string | null;
  limit: number;
  pages: CrawlCounts;
  /** Sessions that it has now. */
  sessions: number;
  /** Size of its results, as they are stored. */
  bytes: number;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
  /** When its results are deleted. */
  expiresAt: string;
}

export interface CrawlList {
  crawls: Crawl[];
  nextCursor: string | null;
}

export interface CrawlPageError {
  /** `PAGE_…`, `ROBOTS` or `UNCHANGED`. */
  code: string;
  message: string;
}

export interface CrawledPage {
  /** As it was found, in its canonical form. */
  url: string;
  /** After redirects. */
  loadedUrl: string | null;
  /** The canonical address that the page names. */
  canonical: string | null;
  depth: number;
  result: 'done' | 'failed' | 'skipped';
  /** The HTTP status. */
  status: number | null;
  title: string | null;
  contentType: string | null;
  error: CrawlPageError | null;
  sessionId: string | null;
  loadedAt: string;
  /** Size of `formats`, as JSON. */
  bytes: number;
  /** A member for each format; or `file`, if the address was a download. */
  formats: Record<string, unknown> | null;
}

export interface CrawledPages {
  pages: CrawledPage[];
  /**
   * Where the next call goes on, also while the crawl has no more yet. Null: it has ended, and this was all.
   */
  nextCursor: string | null;
}

/** Bandwidth over a rolling 30 days, up to today. */
export interface Summary {
  product: Product;
  unit: 'Gb';
  from: string;
  to: string;
  window_days: number;
  total_value: number;
  today_value: number;
}

export interface Bandwidth {
  product: Product;
  unit: Unit;
  from: string;
  to: string;
  /** One element a day, zeros included. */
  series: {
    traffic_date: string;
    total_value: number;
  }[];
}

export interface Countries {
  product: Product;
  unit: Unit;
  from: string;
  to: string;
  /** The largest first. */
  countries: {
    /** ISO 3166-1 alpha-2, `ZZ` where unknown. */
    country: string;
    total_value: number;
  }[];
}
