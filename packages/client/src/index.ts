export type {
  AccountEvent,
  AccountSettings,
  AccountTraffic,
  Bandwidth,
  CloseResult,
  Countries,
  Crawl,
  CrawlCounts,
  CrawledPage,
  CrawledPages,
  CrawlPageError,
  CrawlState,
  DayTrafficDestination,
  DayTrafficUse,
  Delivery,
  EndReason,
  EventType,
  Extension,
  Health,
  Limits,
  Me,
  ModelEndpoint,
  NewKey,
  NewWebhook,
  NoSession,
  Product,
  ProxyTraffic,
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
  SummaryDestination,
  TrafficDestination,
  TrafficSummary,
  TrafficUse,
  Unit,
  Usage,
  Webhook,
} from './answers.ts';
export type { Crawls } from './crawls.ts';
export {
  AuthError,
  BrowserCreateError,
  CapacityError,
  ConcurrencyLimitError,
  ConnectionFailedError,
  PageError,
  ProxyError,
  RateLimitError,
  SessionEndedError,
  SessionNotFoundError,
  TurnpikeError,
  UsageCapError,
} from './errors.ts';
export type { FileContent, Files } from './files.ts';
export type { OpenSession } from './open-session.ts';
export type {
  CallOptions,
  CrawlOptions,
  CreateOptions,
  EventsOptions,
  ListOptions,
  OperatingSystem,
  PageOptions,
  RangeOptions,
  TrafficOptions,
  TurnpikeOptions,
} from './options.ts';
export type {
  PageBytes,
  PageJson,
  PageReport,
  PageResults,
  PageText,
  ScrapedElements,
} from './page-answers.ts';
export type { CrawlParameters, PageFormat, PageParameters } from './page-options.ts';
export type { Pages } from './pages.ts';
export type { Recordings } from './recordings.ts';
export type { Stats } from './stats.ts';
export { parseJson, writeJson } from './transport/exact-json.ts';
export { Turnpike } from './turnpike.ts';
export type { Webhooks } from './webhooks.ts';
export type { PlaywrightDriver, PuppeteerDriver } from './with-browser.ts';
