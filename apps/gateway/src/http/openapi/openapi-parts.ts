import { ConcurrencyRecord, Health, Me, NewKey, Usage } from '@turnpike/contract/account';
import { CreateBody } from '@turnpike/contract/create';
import {
  BandwidthCountries,
  BandwidthSeries,
  BandwidthSummary,
  SessionFile,
  SessionFiles,
} from '@turnpike/contract/dashboard/account-pages';
import {
  AuditEntry,
  IngestionBatch,
  OperatorAccount,
  OperatorHost,
  OperatorLimits,
  OperatorSession,
} from '@turnpike/contract/dashboard/operator-pages';
import { Delivery, Event, NewWebhook, Webhook } from '@turnpike/contract/events';
import { Extension } from '@turnpike/contract/extension';
import { Receipt, ReceiptKeys } from '@turnpike/contract/receipt';
import {
  AnyRecordedEvent,
  Recording,
  RecordingChunkSummary,
  RecordingPage,
  RecordingSummary,
  ShareLink,
} from '@turnpike/contract/recording-answers';
import { SavedCache, SavedProfile, Snapshot } from '@turnpike/contract/saved-profile';
import {
  BulkStatus,
  CloseResult,
  CreatedSession,
  NoSession,
  Session,
  SessionListItem,
  SessionPage,
  SessionRecord,
} from '@turnpike/contract/session';
import { Destination, OtherUse, TrafficSummary } from '@turnpike/contract/traffic';
import { AccountTraffic, SessionTraffic } from '@turnpike/contract/traffic-answers';
import type { TSchema } from 'typebox';
import type { TagName } from './api-description.ts';
import { errorComponents, Failure } from './openapi-errors.ts';

/** The parts of the document besides its operations. */

export const info = {
  title: 'Turnpike',
  version: '1',
  summary: 'Remote browsers behind your own proxy, and bandwidth statistics.',
  description: [
    'An account calls the gateway and gets a remote Chromium that runs behind a proxy of its own; the answer is ' +
      'a Chrome DevTools Protocol WebSocket URL for Playwright, Puppeteer or anything else that speaks it. The ' +
      'gateway is out of the data path from then on.',
    'Interface A (sessions and account) takes the API key in the `x-api-key` header, interface B (statistics) the ' +
      'statistics token and the operator API an operator token, as `Authorization: Bearer …`.',
    'Errors are flat JSON: `error` is for people, `code` for programs, `detail` says more. Every 4xx has a `code`. ' +
      'On `GET /connect` errors of the route itself are plain text, and interface B has an envelope of its own: ' +
      'there the code is in `x-error-code`. Branch on the status, then on the code. `retry-after` says when to ' +
      'retry, if that makes sense.',
    '`HEAD` works where `GET` does, except for `/connect`, where it would open a browser. A method that a path does ' +
      'not have is 405 `METHOD_NOT_ALLOWED`, with the others in `Allow`. A request whose headers are over 64 KiB is ' +
      '431 `HEADERS_TOO_LARGE`.',
    'Ignore members of answers that you do not know: new ones may be added.',
  ].join('\n\n'),
};

const tagDescriptions: Record<TagName, string> = {
  Sessions: 'Interface A: open, find, read and close browsers.',
  Pages:
    'One call, one page: pictures, PDFs, HTML, Markdown and data of a page, without driving a browser. Or many pages: crawls.',
  Files: 'Interface A: downloads and uploads of a session.',
  Account: 'Interface A: limits, usage, session history, API key.',
  Events: 'Interface A: events of sessions, crawls and usage, by webhook or as a stream.',
  'Saved profiles':
    'Interface A: cookies and storage that sessions save for later ones. See `profile` of a create.',
  Snapshots:
    'Interface A: what a session has in its browser, kept so that others begin with it. See `snapshot` of a create.',
  Extensions: 'Interface A: extensions that sessions load. See `extensions` of a create.',
  Proxies: 'Interface A: proxies that the account has saved, and pools of them. See `proxy` of a create.',
  Recordings: 'Interface A: what sessions with `record=true` did, to read, export and share.',
  Statistics: "Interface B: the account's proxy bandwidth by product, day and country.",
  Operator: "For the operator's machines, with an operator token.",
  Service: 'Open to anyone.',
};

/** In the order in which they are shown. */
export const tags = Object.entries(tagDescriptions).map(([name, description]) => ({ name, description }));

export const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description:
      'The API key of the account, `tp_live_` and 64 hexadecimal digits. `Authorization: Bearer` with it works too; this header counts first.',
  },
  apiKeyInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description:
      'The API key, for clients that can only be given a URL. URLs end up in logs: prefer the header. Where both ' +
      'come along the header counts, and a wrong one is 401 whatever this says.',
  },
  statsToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The statistics token of the account, `tpapi_` and 64 hexadecimal digits.',
  },
  operatorToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'An operator token, `tpop_` and 64 hexadecimal digits (`turnpike operator-token create`).',
  },
};

/** Schemas that the document refers to by name. */
export const components: Record<string, TSchema> = {
  Session,
  CreatedSession,
  BulkStatus,
  SessionListItem,
  SessionRecord,
  SessionPage,
  CloseResult,
  NoSession,
  TrafficUse: OtherUse,
  Destination,
  TrafficSummary,
  SessionTraffic,
  AccountTraffic,
  CreateBody,
  ConcurrencyRecord,
  Me,
  Usage,
  NewKey,
  Health,
  Event,
  Webhook,
  NewWebhook,
  Delivery,
  OperatorAccount,
  OperatorLimits,
  OperatorHost,
  OperatorSession,
  IngestionBatch,
  AuditEntry,
  BandwidthSummary,
  BandwidthSeries,
  BandwidthCountries,
  SavedProfile,
  SavedCache,
  Snapshot,
  Extension,
  SessionFile,
  SessionFiles,
  Receipt,
  ReceiptKeys,
  RecordingSummary,
  RecordingChunkSummary,
  Recording,
  RecordingPage,
  RecordedEvent: AnyRecordedEvent,
  ShareLink,
  Failure,
  ...errorComponents(),
};
