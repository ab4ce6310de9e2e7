import type { AccountStatus } from '@turnpike/contract/account';
import type { Product } from '@turnpike/contract/bandwidth';
import type { HostPhase } from '@turnpike/contract/host/heartbeat';
import type { EndReason, SessionStatus } from '@turnpike/contract/session';
import type { ColumnType, Generated, Selectable } from 'kysely';
import type {
  CrawlAddressTable,
  CrawlHostTable,
  CrawlPageTable,
  CrawlResultTable,
  CrawlRunnerTable,
  CrawlTable,
} from './tables/crawl-tables.ts';
import type { EventTable, WebhookDeliveryTable, WebhookTable } from './tables/event-tables.ts';
import type { MailTable, UsageAlertTable } from './tables/mail-tables.ts';
import type {
  AuditTable,
  OperatorTokenTable,
  SignInLimitTable,
  UserLinkTable,
  UserSessionTable,
  UserTable,
} from './tables/people-tables.ts';
import type {
  ProxyDayTable,
  ProxyKeyTable,
  ProxyPoolMemberTable,
  ProxyPoolTable,
  SavedProxyTable,
  SessionProxyTable,
} from './tables/proxy-tables.ts';
import type { RecordingChunkTable, RecordingTable } from './tables/recording-tables.ts';

/** All tables. Times are milliseconds since the epoch. JSON is text, which both engines store alike. */
export interface Tables {
  accounts: AccountTable;
  create_attempts: AttemptTable;
  sessions: SessionTable;
  usage_days: UsageDayTable;
  hosts: HostTable;
  stats_attempts: AttemptTable;
  bandwidth_days: BandwidthDayTable;
  usage_record_ids: { id: string };
  meter_sources: { source: string; reported_at: number };
  meter_counters: BandwidthDayTable & { source: string };
  operator_tokens: OperatorTokenTable;
  idempotency_keys: IdempotencyKeyTable;
  events: EventTable;
  webhooks: WebhookTable;
  webhook_deliveries: WebhookDeliveryTable;
  waiting: WaitingTable;
  users: UserTable;
  user_sessions: UserSessionTable;
  user_links: UserLinkTable;
  sign_in_limits: SignInLimitTable;
  audit_log: AuditTable;
  ingestion_batches: IngestionBatchTable;
  /** `device` is the id of the device that its sessions claim. */
  saved_profiles: SavedProfileTable & { device: string | null };
  signing_keys: SigningKeyTable;
  saved_caches: SavedProfileTable;
  snapshots: SnapshotTable;
  extensions: ExtensionTable;
  page_answers: PageAnswerTable;
  model_endpoints: ModelEndpointTable;
  store_probe: { id: number; at: number };
  session_traffic: SessionTrafficTable;
  traffic_days: TrafficDayTable;
  create_failures: { hour: number; code: string; creates: number };
  mails: MailTable;
  usage_alerts: UsageAlertTable;
  usage_alerts_sent: UsageAlertTable & { period: number; at: number };
  usage_alert_checks: { id: number; next_at: number };
  recordings: RecordingTable;
  recording_chunks: RecordingChunkTable;
  recording_usage: { account_id: string; bytes: number };
  crawls: CrawlTable;
  crawl_pages: CrawlPageTable;
  crawl_addresses: CrawlAddressTable;
  crawl_hosts: CrawlHostTable;
  crawl_results: CrawlResultTable;
  crawl_runners: CrawlRunnerTable;
  crawl_usage: { account_id: string; bytes: number };
  saved_proxies: SavedProxyTable;
  proxy_pools: ProxyPoolTable;
  proxy_pool_members: ProxyPoolMemberTable;
  proxy_keys: ProxyKeyTable;
  session_proxies: SessionProxyTable;
  proxy_days: ProxyDayTable;
}

export interface AccountTable {
  id: string;
  email: string;
  name: string;
  status: AccountStatus;
  created_at: number;
  key_hash: string;
  /** Null: unlimited. */
  concurrent_limit: number | null;
  /** Null: unlimited. */
  browser_seconds_cap: number | null;
  creates_per_minute: number;
  /** Browser seconds billed so far. Changes only in the transaction that ends a session. */
  browser_seconds: Generated<number>;
  /** Numbers the account's create requests. Updating it is the lock under which creates are admitted. */
  create_seq: Generated<number>;
  /** Null until somebody asks for it. Hashes are for lookups, sealed values for showing them again. */
  stats_token_hash: Generated<string | null>;
  stats_token_sealed: Generated<string | null>;
  proxy_user: Generated<string | null>;
  proxy_password_hash: Generated<string | null>;
  proxy_password_sealed: Generated<string | null>;
  /** Numbers the account's statistics requests. */
  stats_seq: Generated<number>;
  /** Numbers the account's events. Updating it is the lock that keeps them in order. */
  event_seq: Generated<number>;
  /** 0: the account has turned page calls and crawls off. */
  page_calls: Generated<number>;
  /** `name:` or `pool:` with a name; null: a create must name its proxy. */
  default_proxy: Generated<string | null>;
}
export type AccountRow = Selectable<AccountTable>;

/** The latest requests of an account, as many as its rate limit, so the table does not grow. */
export interface AttemptTable {
  account_id: string;
  seq: number;
  at: number;
}

/** STARTING is a create in progress: it holds a slot, and no client sees it. */
export type SessionState = 'STARTING' | SessionStatus;

export interface SessionTable {
  id: string;
  account_id: string;
  cdp_id: string;
  viewer_token: string;
  state: SessionState;
  /** When a STARTING row may be reaped. */
  deadline_at: number;
  /** When the session became ACTIVE (until then, when its create began). */
  created_at: number;
  expires_at: number;
  /** Until when the status route answers for it. */
  readable_until: number;
  lifetime_seconds: number;
  ended_at: Generated<number | null>;
  billed_seconds: Generated<number>;
  host: Generated<string | null>;
  host_boot: Generated<string | null>;
  /** The host's public URL, the base of the CDP URL. */
  host_url: Generated<string | null>;
  viewer: Generated<number>;
  /** Those that its host offers besides CDP, with commas between them. */
  protocols: Generated<string>;
  params: string;
  metadata: string;
  /** What people call it: the name that was given (`named` is 1), or else the text `name` of its metadata. */
  name: Generated<string | null>;
  named: Generated<number>;
  /** JSON array of texts. */
  tags: Generated<string | null>;
  bytes_up: Generated<number>;
  bytes_down: Generated<number>;
  /** The product that the session's own bytes count for. Null: they count elsewhere, or nowhere. */
  metered_product: Generated<Product | null>;
  metered_country: Generated<string | null>;
  /** Set at the end; or before it, by a caller who ends it for a reason that the host does not know. */
  end_reason: Generated<EndReason | null>;
  end_signal: Generated<string | null>;
  /** The saved profile that it started with. */
  profile_name: Generated<string | null>;
  /** 1: it saves that profile when it is closed. Only one running session of an account at a time may. */
  saves_profile: Generated<number>;
  /** The same for its HTTP cache. The first session to ask for a cache that no other will save saves it. */
  cache_name: Generated<string | null>;
  saves_cache: Generated<number>;
  /** Whom sites take it for: that of the snapshot that it began with. Null: its own id. */
  identity: Generated<string | null>;
  /** The saved proxy that it uses, the pool that it was taken from, and the key that it was asked for with. */
  proxy_id: Generated<string | null>;
  pool_id: Generated<string | null>;
  proxy_key: Generated<string | null>;
  /** Who changes its proxy now, and until when that is believed. */
  proxy_change: Generated<string | null>;
  proxy_change_until: Generated<number | null>;
  /** What events and health know of its proxies, as JSON (`SeenProxies`). Null: nothing has gone wrong. */
  proxies_seen: Generated<string | null>;
  /** What `block` and `cache` saved it, as JSON (`Savings`). Null: it has neither. */
  savings: Generated<string | null>;
  /** When its client disconnected before it got the answer. The session is then closed, and billed up to this time. */
  abandoned_at: Generated<number | null>;
  /** JSON of what its host reported at its end for the receipt. */
  evidence: Generated<string | null>;
  /** JSON of the largest destinations, once it has ended. */
  traffic: Generated<string | null>;
  /** When its first CDP client connected. */
  connected_at: Generated<number | null>;
  /** When its last CDP client disconnected. Null: one is connected, or none ever was. */
  disconnected_at: Generated<number | null>;
  /** How long it has been asleep, until the last time that it woke. */
  standby_ms: Generated<number>;
  /** Since when it is asleep. Null: it is awake. */
  standby_since: Generated<number | null>;
  /** What a second asleep costs, in thousandths of one awake. Null: it never sleeps. */
  standby_permille: Generated<number | null>;
}
export type SessionRow = Selectable<SessionTable>;

/** Keys that sign receipts. Replaced ones stay, so that their receipts can be verified. */
export interface SigningKeyTable {
  id: string;
  /** Raw, as base64url. */
  public_key: string;
  private_key_sealed: string;
  created_at: number;
  retired_at: number | null;
  /** 1 for the key that signs, null for the others; unique. */
  current: 1 | null;
}

/** Sessions that ended on a UTC day, added up in the transactions that end them. */
export interface UsageDayTable {
  account_id: string;
  day: string;
  sessions: number;
  browser_seconds: number;
  bytes_up: number;
  bytes_down: number;
}

/** Where a session's bytes went, as JSON, while the session is readable. */
export interface SessionTrafficTable {
  session_id: string;
  readable_until: number;
  /** When it was reported. */
  at: number;
  traffic: string;
}

/** Traffic of sessions that ended on a UTC day, by destination. The row without a host has all others together. */
export interface TrafficDayTable {
  account_id: string;
  day: string;
  host: string;
  port: number;
  requests: number;
  tunnels: number;
  bytes_up: number;
  bytes_down: number;
  refused: number;
  /** Only in the row without a host: of the sessions as a whole. */
  bytes_from_cache: number;
}

export interface HostTable {
  name: string;
  boot: string;
  public_url: string;
  heartbeat_at: number;
  /** Null: only its own process can call it. */
  private_url: Generated<string | null>;
  region: Generated<string | null>;
  seats: Generated<number>;
  used: Generated<number>;
  /** The number of this run's last heartbeat. */
  seq: Generated<number>;
  /** When the earlier run was last heard of: its sessions ended then. */
  former_heartbeat_at: Generated<number | null>;
  chromium_version: Generated<string>;
  service_version: Generated<string>;
  /** A JSON list of the create parameters that it acts on. Null: it is of an earlier version, which does not say. */
  abilities: Generated<string | null>;
  /** What the operator wants the host to be. */
  state: Generated<'live' | 'draining' | 'removed'>;
  /** What the host says that it is. */
  phase: Generated<HostPhase>;
}
export type HostRow = Selectable<HostTable>;

/** Bytes by account, product, day and country. Bytes go in and come out as text, for they may exceed 2^53. */
export interface BandwidthDayTable {
  account_id: string;
  product: Product;
  day: string;
  country: string;
  bytes: ColumnType<string, string | bigint, string | bigint>;
}

/** Maps an Idempotency-Key to its session. If there is no row of that session, the key is free. */
export interface IdempotencyKeyTable {
  account_id: string;
  key_hash: string;
  params_hash: string;
  session_id: string;
  /** 1: a repeated create was answered with the session too. */
  shared: Generated<number>;
  created_at: number;
  /** When the key was closed: a create that comes later opens nothing. */
  closed_at: Generated<number | null>;
}
export type IdempotencyKeyRow = Selectable<IdempotencyKeyTable>;

export interface IngestionBatchTable {
  id: string;
  at: number;
  source: string;
  new: number;
  repeated: number;
  refused: number;
  /** Bytes of the new records; as text, for a batch may exceed 2^63. */
  bytes: string;
  errors: string;
}

/** What a queued create waits for. `starting`: it has a slot, and tries to get a seat. */
export type WaitingPhase = 'slot' | 'seat' | 'starting';

/** A create in the queue. Its ticket is the number of its request. */
export interface WaitingTable {
  account_id: string;
  ticket: number;
  phase: WaitingPhase;
  gateway: string;
  /** After this time its gateway counts as dead. */
  alive_until: number;
}

/** A saved profile or cache, sealed. */
export interface SavedProfileTable {
  account_id: string;
  name: string;
  sealed: Uint8Array;
  /** The size before sealing. */
  bytes: number;
  updated_at: number;
}
export type SavedProfileRow = Selectable<SavedProfileTable>;

/** What a session had in its browser at a moment. */
export interface SnapshotTable {
  id: string;
  account_id: string;
  session_id: string;
  identity: string;
  name: string | null;
  /** JSON, as of the session. */
  params: string;
  sealed: Uint8Array;
  /** Before it was sealed. */
  bytes: number;
  tabs: number;
  /** JSON: sentences. */
  lost: string;
  created_at: number;
  expires_at: number;
}
export type SnapshotRow = Selectable<SnapshotTable>;

/** An uploaded extension. */
export interface ExtensionTable {
  account_id: string;
  /** Chromium's. */
  id: string;
  name: string;
  version: string;
  /** Where the id comes from: see `IdSource`. */
  id_source: 'signature' | 'manifest' | 'name';
  /** SHA-256 of what was uploaded, in hex. */
  checksum: string;
  /** Base64: what its manifest gets as its key. */
  public_key: string;
  /** The zip archive. */
  sealed: Uint8Array;
  /** The size of what was uploaded. */
  bytes: number;
  created_at: number;
}
export type ExtensionRow = Selectable<ExtensionTable>;

/** An account's own model, which makes JSON of pages. */
export interface ModelEndpointTable {
  /** The account's. */
  id: string;
  url: string;
  model: string;
  key_sealed: string;
  created_at: number;
}
export type ModelEndpointRow = Selectable<ModelEndpointTable>;

/** The answer to a page call with an Idempotency-Key. */
export interface PageAnswerTable {
  session_id: string;
  account_id: string;
  sealed: Uint8Array;
  created_at: number;
}
export type PageAnswerRow = Selectable<PageAnswerTable>;
