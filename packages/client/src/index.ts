export type {
  AccountEvent,
  AccountTraffic,
  Bandwidth,
  CloseResult,
  Countries,
  DayTrafficUse,
  Delivery,
  EndReason,
  EventType,
  Health,
  Limits,
  Me,
  NewKey,
  NewWebhook,
  NoSession,
  Receipt,
  ReceiptKeys,
  RecordedEvent,
  Recording,
  RecordingFormat,
  RecordingSummary,
  RefusalReason,
  ResourceType,
  SavedCache,
  SavedProfile,
  Session,
  SessionFile,
  SessionListItem,
  SessionRecord,
  SessionStatus,
  SessionTraffic,
  ShareLink,
  Summary,
  TrafficSummary,
  TrafficUse,
  Usage,
  Webhook,
} from './answers.ts';
export {
  AuthError,
  BrowserCreateError,
  CapacityError,
  ConcurrencyLimitError,
  ConnectionFailedError,
  ProxyError,
  RateLimitError,
  SessionEndedError,
  SessionNotFoundError,
  TurnpikeError,
  UsageCapError,
} from './errors.ts';
export { parseJson, writeJson } from './exact-json.ts';
export type { FileContent, Files } from './files.ts';
export type { OpenSession } from './open-session.ts';
export type {
  CallOptions,
  CreateOptions,
  EventsOptions,
  ListOptions,
  OperatingSystem,
  Product,
  RangeOptions,
  TrafficOptions,
  TurnpikeOptions,
  Unit,
} from './options.ts';
export type { Recordings } from './recordings.ts';
export type { Stats } from './stats.ts';
export { Turnpike } from './turnpike.ts';
export type { Webhooks } from './webhooks.ts';
export type { PlaywrightDriver, PuppeteerDriver } from './with-browser.ts';
