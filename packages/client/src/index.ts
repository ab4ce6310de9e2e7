export type {
  Bandwidth,
  CloseResult,
  Countries,
  EndReason,
  Health,
  Limits,
  Me,
  NewKey,
  Session,
  SessionListItem,
  SessionRecord,
  SessionStatus,
  Summary,
  Usage,
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
export type { OpenSession } from './open-session.ts';
export type {
  CallOptions,
  CreateOptions,
  ListOptions,
  OperatingSystem,
  Product,
  RangeOptions,
  TurnpikeOptions,
  Unit,
} from './options.ts';
export type { Stats } from './stats.ts';
export { Turnpike } from './turnpike.ts';
export type { PlaywrightDriver, PuppeteerDriver } from './with-browser.ts';
