import type { CreateParameter } from '@turnpike/contract/create-parameter';
import {
  type BrowserParams,
  camelCase,
  createParameters,
  firstName,
  type ParameterName,
  type ParameterValue,
  parametersIn,
  systemOfDevice,
} from '@turnpike/contract/create-parameters';
import { checkJsonDepth } from '@turnpike/process/bounded-json';
import { parseProxyText } from '@turnpike/tunnel/addresses/proxy-text';
import { maskedProxyUrl, type ProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';
import { ApiError } from '../../http/api-error.ts';
import { decodeUtf8, isObject } from '../../http/json-body.ts';
import type { ProfileChoice } from '../../seams/session-profiles.ts';
import { isNamed, type NamedProxy } from '../../seams/session-proxies.ts';
import type { SnapshotChoice } from '../../seams/session-snapshots.ts';
import { parseExactJson } from '../../store/exact-json.ts';
import { type AskedRule, parseProxyRules } from '../proxies/proxy-rules.ts';
import { malformed, parseParameter } from './parse-parameter.ts';

/** The session that a create asks for. */
export interface CreateParams {
  browser: BrowserParams;
  proxy: ProxyUrl | NamedProxy;
  /** Undefined if it has none. */
  proxyKey: string | undefined;
  /** Upper case. If undefined, that of the saved proxy. */
  proxyCountry: string | undefined;
  /** Undefined if all destinations go through `proxy`. */
  proxyRules: readonly AskedRule[] | undefined;
  lifetimeSeconds: number;
  /** Undefined means any. */
  region: string | undefined;
  /** Undefined if it is never closed for being idle. */
  idleSeconds: number | undefined;
  /** Undefined if it starts with nothing and saves nothing. */
  profile: ProfileChoice | undefined;
  /** Undefined if it begins with none. */
  snapshot: SnapshotChoice | undefined;
  /** The HTTP cache that it starts with; undefined means an empty one, which is not kept. */
  cache: string | undefined;
  /** Ids or names of the extensions that it loads; undefined means none. */
  extensions: readonly string[] | undefined;
  /** Undefined: that of the metadata, or none. */
  name: string | undefined;
  tags: readonly string[] | undefined;
  metadata: Record<string, unknown>;
}

/** What a create was sent with. */
export interface SentParams {
  params: CreateParams;
  /** What the session says was asked for. */
  described: Record<string, unknown>;
  /** How long it will wait for a slot or a seat. It is beside the parameters: it says nothing about the session. */
  waitSeconds: number;
}

/** The values of a query (text, or a list of texts where one was given twice) or of a JSON body. */
export type RawParams = Readonly<Record<string, unknown>>;

/** GET /connect: metadata that is no JSON object, or too large or too deep, is dropped without an error. */
export function parseConnectQuery(raw: RawParams, defaultProxy: string | null = null): SentParams {
  return parseParams(raw, defaultProxy, (value) => metadataOfQuery(value) ?? {});
}

/**
 * POST /api/browser/create. The body's own bytes, where they are given, have the digits of metadata's numbers,
 * which a parsed body has lost.
 */
export function parseCreateBody(
  body: Record<string, unknown>,
  bytes?: Uint8Array,
  defaultProxy: string | null = null,
): SentParams {
  return parseParams(bodyParams(body), defaultProxy, (value) => {
    const given = value === undefined ? {} : value;
    if (!isObject(given)) throw malformed('metadata', 'must be an object');
    const metadata = (bytes && exactMetadata(bytes)) ?? given;
    if (tooLarge(JSON.stringify(metadata)))
      throw malformed('metadata', `must be at most ${createParameters.metadata.maxBytes} bytes of JSON`);
    return metadata;
  });
}

/** Older names of parameters, and the names of those that have one. */
const otherNames = new Map(
  parametersIn().flatMap(([name, { alias }]) =>
    alias === undefined ? [] : [[name, alias] as const, [alias, name] as const],
  ),
);

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Parameters stand at the top of a body or in its `browserParams`; the top wins, unless it says null. */
function bodyParams(body: Record<string, unknown>): RawParams {
  const nested = body['browserParams'] ?? {};
  if (!isObject(nested)) {
    throw new ApiError('malformedParams', {
      because: 'browserParams must be an object',
      field: 'browserParams',
    });
  }
  const top = Object.entries(body).filter(([name, value]) => value !== null || !(name in nested));
  const inside = Object.entries(nested).filter(([name]) => {
    const other = otherNames.get(name);
    return other === undefined || !isGiven(body[other]);
  });
  return { ...Object.fromEntries(inside), ...Object.fromEntries(top) };
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
  'save_profile',
  'idle_timeout',
];
/** Judged by functions of their own. */
const judgedApart: readonly ParameterName[] = ['proxy', 'proxy_rules', 'wait', 'metadata', 'sessionId'];
const judged = new Set([...checkedFirst, ...parametersIn('body').map(([name]) => name)]).difference(
  new Set(judgedApart),
);

/** Rules about two parameters, judged with the second of them, which has the name `as` in the request. */
const pairRules: { [name in ParameterName]?: (values: Values, as: string) => void } = {
  browser_version_max({ browser_version_min: min, browser_version_max: max }) {
    if (min !== undefined && max !== undefined && min > max) {
      throw malformed('browser_version_min', 'must not be above browser_version_max');
    }
  },
  device_seed({ device, device_seed }) {
    if (device !== undefined && device_seed !== undefined)
      throw malformed('device_seed', 'must not come with device. Give one of them');
  },
  save_profile({ profile, save_profile }, as) {
    if (save_profile && profile === undefined) throw malformed(as, 'must come with a profile');
  },
  snapshot({ profile, snapshot }) {
    if (snapshot !== undefined && profile !== undefined)
      throw malformed('snapshot', 'must not come with profile: it has cookies and storage of its own');
  },
  fork({ snapshot, fork }) {
    if (fork && snapshot === undefined) throw malformed('fork', 'must come with a snapshot');
  },
  record_bodies({ record, record_bodies }) {
    if (record_bodies && !record) throw malformed('record_bodies', 'must come with record=true');
  },
  record_pictures({ record, record_pictures }) {
    if (record_pictures !== undefined && !record)
      throw malformed('record_pictures', 'must come with record=true');
  },
};

function parseParams(
  raw: RawParams,
  defaultProxy: string | null,
  parseMetadata: (value: unknown) => Record<string, unknown>,
): SentParams {
  const waitSeconds = parseParameter('wait', createParameters.wait, raw['wait']) as number;
  const metadata = parseMetadata(raw['metadata']);
  const values: Partial<Record<ParameterName, unknown>> = {};
  const given: ParameterName[] = [];
  for (const name of judged) {
    const as = nameIn(raw, name);
    values[name] = parseParameter(as, createParameters[name], raw[as]);
    if (isGiven(raw[as]) && values[name] !== undefined) given.push(name);
    pairRules[name]?.(values as Values, as);
  }
  followDevice(values as Values, isGiven(raw['os']));
  const {
    maxLifetime,
    idle_timeout,
    region,
    profile,
    save_profile = false,
    snapshot,
    fork = false,
    cache,
    extensions,
    name,
    tags,
    proxy_key: proxyKey,
    proxy_country,
  } = values as Values;
  const params: CreateParams = {
    browser: browserParams(values),
    lifetimeSeconds: maxLifetime ?? createParameters.maxLifetime.default,
    idleSeconds: idle_timeout,
    region,
    profile: profile === undefined ? undefined : { name: profile, save: save_profile },
    snapshot: snapshot === undefined ? undefined : { id: snapshot, fork, given },
    cache,
    extensions,
    name,
    tags,
    proxy: parseProxy(raw['proxy'], defaultProxy),
    proxyKey,
    proxyCountry: proxy_country?.toUpperCase(),
    proxyRules: parseProxyRules(raw['proxy_rules']),
    metadata,
  };
  return { params, described: describeParams(params), waitSeconds };
}

/** A device decides the system. */
function followDevice(values: Values, isSystemGiven: boolean): void {
  const os = values.device === undefined ? undefined : systemOfDevice(values.device);
  if (os === undefined) return;
  if (isSystemGiven && values.os !== os)
    throw malformed('os', `must be ${os}, the system of device. You can leave it out`);
  values.os = os;
}

/** The name that a request has for a parameter. Both its names may be given if they say the same. */
function nameIn(raw: RawParams, name: ParameterName): string {
  const parameter: CreateParameter = createParameters[name];
  const { alias } = parameter;
  if (alias === undefined || !isGiven(raw[alias])) return name;
  if (!isGiven(raw[name])) return alias;
  const [value, older] = [name, alias].map((each) => parseParameter(each, parameter, raw[each]));
  if (value !== older)
    throw malformed(name, `must not differ from ${alias}, its older name. Give one of them`);
  return name;
}

const hostParameters = parametersIn().filter(([, { host }]) => host);

/** What goes to the host; members that were not given stay out. */
function browserParams(values: Partial<Record<ParameterName, unknown>>): BrowserParams {
  const given = hostParameters.filter(([name]) => values[name] !== undefined);
  return Object.fromEntries(given.map(([name]) => [camelCase(name), values[name]])) as BrowserParams;
}

/** A URL, `name:` or `pool:` with a name. The account's default stands for one that is missing. */
function parseProxy(value: unknown, defaultProxy: string | null): ProxyUrl | NamedProxy {
  if (Array.isArray(value)) throw proxyInvalid('given more than once');
  if (typeof (value ?? '') !== 'string') throw proxyInvalid('not a string');
  const text = ((value ?? '') as string).trim() || (defaultProxy ?? '');
  if (text === '') throw new ApiError('proxyRequired', { detail: 'no proxy supplied', field: 'proxy' });
  const parsed = parseProxyText(text);
  if (!parsed.ok) throw proxyInvalid(parsed.rule);
  return parsed.proxy;
}

const proxyInvalid = (detail: string) => new ApiError('proxyInvalid', { detail, field: 'proxy' });

/** Undefined: what was given is dropped. */
export function metadataOfQuery(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'string' || tooLarge(value)) return undefined;
  try {
    checkJsonDepth(value);
    const parsed = parseExactJson(value);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

const tooLarge = (json: string): boolean => Buffer.byteLength(json) > createParameters.metadata.maxBytes;

const shownProxy = (proxy: ProxyUrl | NamedProxy): string =>
  isNamed(proxy) ? `${proxy.kind}:${proxy.name}` : maskedProxyUrl(proxy);

/** What a session says was asked for, under the API's own names; the proxy's password is masked. */
function describeParams({
  browser,
  proxy,
  proxyKey,
  proxyCountry,
  proxyRules,
  lifetimeSeconds,
  region,
  idleSeconds,
  profile,
  snapshot,
  cache,
  extensions,
}: CreateParams): Record<string, unknown> {
  const sent: Record<string, unknown> = { ...browser };
  const described = {
    ...Object.fromEntries(hostParameters.map(([name]) => [name, sent[camelCase(name)]])),
    // Of one that has a name it is known when it is chosen.
    proxy: shownProxy(proxy),
    proxy_key: proxyKey,
    proxy_country: proxyCountry,
    proxy_rules: proxyRules?.map((rule) => ({ hosts: rule.hosts, proxy: shownProxy(rule.proxy) })),
    maxLifetime: lifetimeSeconds,
    region,
    // This and `save_profile` keep the names that clients read.
    [firstName('idle_timeout')]: idleSeconds,
    // `profile` is what the session claims to be.
    savedProfile: profile?.name,
    [firstName('save_profile')]: profile?.save,
    snapshot: snapshot?.id,
    fork: snapshot?.fork || undefined,
    cache,
    extensions,
  };
  return Object.fromEntries(Object.entries(described).filter(([, value]) => value !== undefined));
}
