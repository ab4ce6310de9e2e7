import {
  type BrowserParams,
  camelCase,
  createParameters,
  type ParameterName,
  type ParameterValue,
  parametersIn,
} from '@turnpike/contract/create-parameters';
import { checkJsonDepth } from '@turnpike/process/bounded-json';
import { maskedProxyUrl, type ProxyUrl, parseProxyUrl } from '@turnpike/process/proxy-url';
import { ApiError } from '../http/api-error.ts';
import { decodeUtf8, isObject } from '../http/json-body.ts';
import type { ProfileChoice } from '../seams/session-profiles.ts';
import { parseExactJson } from '../store/exact-json.ts';
import { malformed, parseParameter } from './parse-parameter.ts';

/** A create, parsed once at the edge and passed on whole. */
export interface CreateParams {
  browser: BrowserParams;
  proxy: ProxyUrl;
  lifetimeSeconds: number;
  /** Undefined: any. */
  region: string | undefined;
  /** Undefined: it is never closed for being idle. */
  idleSeconds: number | undefined;
  /** Undefined: it starts with nothing and saves nothing. */
  profile: ProfileChoice | undefined;
  /** The HTTP cache that it starts with; undefined: an empty one, which is not kept. */
  cache: string | undefined;
  metadata: Record<string, unknown>;
}

/** A create request: what is asked for, and the key under which it may be repeated. */
export interface CreateRequest {
  params: CreateParams;
  /** How long it will wait for a slot or a seat. */
  waitSeconds: number;
  idempotencyKey: string | undefined;
}

/** The values of a query (text, or a list of texts where one was given twice) or of a JSON body. */
export type RawParams = { readonly [name in ParameterName]?: unknown };

/** GET /connect: metadata that is no JSON object, or too large or too deep, is dropped without an error. */
export function parseConnectQuery(raw: RawParams): CreateParams {
  return { ...parseCommon(raw), metadata: metadataOfQuery(raw['metadata']) };
}

/**
 * POST /api/browser/create. The body's own bytes, where they are given, have the digits of metadata's numbers,
 * which a parsed body has lost.
 */
export function parseCreateBody(body: Record<string, unknown>, bytes?: Uint8Array): CreateParams {
  const raw = bodyParams(body);
  const given = raw['metadata'] ?? (raw['metadata'] === null ? null : {});
  if (!isObject(given)) throw malformed('metadata', 'must be an object');
  const metadata = (bytes && exactMetadata(bytes)) ?? given;
  if (tooLarge(JSON.stringify(metadata)))
    throw malformed('metadata', `must be at most ${createParameters.metadata.maxBytes} bytes of JSON`);
  return { ...parseCommon(raw), metadata };
}

/** Parameters stand at the top of a body or in its `browserParams`; the top wins, unless it says null. */
export function bodyParams(body: Record<string, unknown>): RawParams {
  const nested = body['browserParams'] ?? {};
  if (!isObject(nested)) {
    throw new ApiError('malformedParams', {
      because: 'browserParams must be an object',
      field: 'browserParams',
    });
  }
  const top = Object.entries(body).filter(([name, value]) => value !== null || !(name in nested));
  return { ...nested, ...Object.fromEntries(top) };
}

function exactMetadata(bytes: Uint8Array): Record<string, unknown> | undefined {
  const { metadata } = bodyParams(parseExactJson(decodeUtf8(bytes)) as Record<string, unknown>);
  return isObject(metadata) ? metadata : undefined;
}

type Values = { [Name in ParameterName]?: ParameterValue<Name> };

/**
 * The order in which parameters are judged, which decides what a create with several wrong ones is told. Parameters
 * that are not named here come next, in the table's order, and the proxy is last.
 */
const checkedFirst: readonly ParameterName[] = [
  'browser_version_min',
  'browser_version_max',
  'os',
  'browser_language',
  'ui_language',
  'screen_width_min',
  'screen_height_min',
  'maxLifetime',
  'region',
  'profile',
  'saveProfile',
  'idleTimeout',
];
/** Judged by functions of their own. */
const judgedApart: readonly ParameterName[] = ['proxy', 'wait', 'metadata', 'sessionId'];
const judged = new Set([...checkedFirst, ...parametersIn('body').map(([name]) => name)]).difference(
  new Set(judgedApart),
);

/** Rules about two parameters, judged with the second of them. */
const pairRules: { [name in ParameterName]?: (values: Values) => void } = {
  browser_version_max({ browser_version_min: min, browser_version_max: max }) {
    if (min !== undefined && max !== undefined && min > max) {
      throw malformed('browser_version_min', 'must not be above browser_version_max');
    }
  },
  saveProfile({ profile, saveProfile }) {
    if (saveProfile && profile === undefined) throw malformed('saveProfile', 'must come with a profile');
  },
  record_bodies({ record, record_bodies }) {
    if (record_bodies && !record) throw malformed('record_bodies', 'must come with record=true');
  },
  record_pictures({ record, record_pictures }) {
    if (record_pictures !== undefined && !record)
      throw malformed('record_pictures', 'must come with record=true');
  },
};

function parseCommon(raw: RawParams): Omit<CreateParams, 'metadata'> {
  const values: Partial<Record<ParameterName, unknown>> = {};
  for (const name of judged) {
    values[name] = parseParameter(name, createParameters[name], raw[name]);
    pairRules[name]?.(values as Values);
  }
  const { maxLifetime, idleTimeout, region, profile, saveProfile = false, cache } = values as Values;
  return {
    browser: browserParams(values),
    lifetimeSeconds: maxLifetime ?? createParameters.maxLifetime.default,
    idleSeconds: idleTimeout,
    region,
    profile: profile === undefined ? undefined : { name: profile, save: saveProfile },
    cache,
    proxy: proxyUrl(raw['proxy']),
  };
}

const hostParameters = parametersIn().filter(([, { host }]) => host);

/** What goes to the host; members that were not given stay out. */
function browserParams(values: Partial<Record<ParameterName, unknown>>): BrowserParams {
  const given = hostParameters.filter(([name]) => values[name] !== undefined);
  return Object.fromEntries(given.map(([name]) => [camelCase(name), values[name]])) as BrowserParams;
}

/** Shared by both create paths. It is beside the parameters because it says nothing about the session. */
export function parseWait(raw: RawParams): number {
  return parseParameter('wait', createParameters.wait, raw['wait']) as number;
}

function proxyUrl(value: unknown): ProxyUrl {
  if (value === undefined || value === null)
    throw new ApiError('proxyRequired', { detail: 'no proxy supplied', field: 'proxy' });
  if (Array.isArray(value))
    throw new ApiError('proxyInvalid', { detail: 'given more than once', field: 'proxy' });
  if (typeof value !== 'string')
    throw new ApiError('proxyInvalid', { detail: 'not a string', field: 'proxy' });
  const text = value.trim();
  if (text === '') throw new ApiError('proxyRequired', { detail: 'no proxy supplied', field: 'proxy' });
  const parsed = parseProxyUrl(text);
  if (!parsed.ok) throw new ApiError('proxyInvalid', { detail: parsed.rule, field: 'proxy' });
  return parsed.proxy;
}

function metadataOfQuery(value: unknown): Record<string, unknown> {
  if (typeof value !== 'string' || tooLarge(value)) return {};
  try {
    checkJsonDepth(value);
    const parsed = parseExactJson(value);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

const tooLarge = (json: string): boolean => Buffer.byteLength(json) > createParameters.metadata.maxBytes;

/** What a session says was asked for, under the API's own names; the proxy's password is masked. */
export function describeParams({
  browser,
  proxy,
  lifetimeSeconds,
  region,
  idleSeconds,
  profile,
  cache,
}: CreateParams): Record<string, unknown> {
  const sent: Record<string, unknown> = { ...browser };
  const described = {
    ...Object.fromEntries(hostParameters.map(([name]) => [name, sent[camelCase(name)]])),
    proxy: maskedProxyUrl(proxy),
    maxLifetime: lifetimeSeconds,
    region,
    idleTimeout: idleSeconds,
    // `profile` is what the session claims to be.
    savedProfile: profile?.name,
    saveProfile: profile?.save,
    cache,
  };
  return Object.fromEntries(Object.entries(described).filter(([, value]) => value !== undefined));
}
