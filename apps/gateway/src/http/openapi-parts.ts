import { ConcurrencyRecord, Health, Me, NewKey, Usage } from '@turnpike/contract/account';
import { CreateBody } from '@turnpike/contract/create';
import {
  AuditEntry,
  BandwidthCountries,
  BandwidthSeries,
  BandwidthSummary,
  IngestionBatch,
  OperatorAccount,
  OperatorHost,
  OperatorLimits,
  OperatorSession,
} from '@turnpike/contract/dashboard';
import { Delivery, Event, NewWebhook, Webhook } from '@turnpike/contract/events';
import {
  CloseResult,
  Session,
  SessionListItem,
  SessionPage,
  SessionRecord,
} from '@turnpike/contract/session';
import type { TSchema } from 'typebox';
import { errorComponents, Failure } from './openapi-errors.ts';

/** What the document has besides its operations. */

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
    'Errors are flat JSON: `error` for a person, `code` for a program where there is one, `detail` where there is ' +
      'more to say. On `GET /connect` errors of the route itself are plain text, with the code in `x-error-code`. ' +
      'Branch on the status, then on the code. Every answer that is worth a retry says so, and `retry-after` says when.',
    'Members may be added to answers; ignore those that you do not know.',
  ].join('\n\n'),
};

export const tags = [
  { name: 'Sessions', description: 'Interface A: open, find, read and close browsers.' },
  { name: 'Account', description: 'Interface A: limits, usage, the permanent record, the key.' },
  {
    name: 'Events',
    description: 'Interface A: what becomes of sessions and hours, by webhook or on a stream.',
  },
  {
    name: 'Statistics',
    description: "Interface B: the account's proxy bandwidth by product, day and country.",
  },
  { name: 'Operator', description: "For the operator's machines, with an operator token." },
  { name: 'Service', description: 'Open to anyone.' },
];

export const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The API key of the account, `tp_live_` and 64 hexadecimal digits.',
  },
  apiKeyInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description:
      'The API key, for clients that can only be given a URL. URLs end up in logs: prefer the header.',
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

/** Schemas that the document names. */
export const components: Record<string, TSchema> = {
  Session,
  SessionListItem,
  SessionRecord,
  SessionPage,
  CloseResult,
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
  Failure,
  ...errorComponents(),
};
