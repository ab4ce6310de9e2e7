import {
  idleRange,
  maxMetadataBytes,
  maxScreen,
  maxWaitSeconds,
  type ParameterName,
  versionRange,
} from '@turnpike/contract/create';
import { regionPattern } from '@turnpike/contract/heartbeat';
import { type BrowserParams, type OperatingSystem, operatingSystems } from '@turnpike/contract/host';
import { profileNamePattern } from '@turnpike/contract/saved-profile';
import { checkJsonDepth } from '@turnpike/process/bounded-json';
import { maskedProxyUrl, type ProxyUrl, parseProxyUrl } from '@turnpike/process/proxy-url';
import { ApiError } from '../http/api-error.ts';
import { decodeUtf8, isObject } from '../http/json-body.ts';
import type { ProfileChoice } from '../seams/session-profiles.ts';
import { parseExactJson } from '../store/exact-json.ts';
import { clampLifetime } from './session.ts';

/** A create, parsed once at the edge and passed on whole. */
export interface CreateParams {
  browser: BrowserParams;
  proxy: ProxyUrl;
  lifetimeSeconds: number;
  /** Undefined: any. */
  region: string | undefined;
  /** Undefined: however long nothing happens, it stays. */
  idleSeconds: number | undefined;
  /** Undefined: it begins with nothing and leaves nothing. */
  profile: ProfileChoice | undefined;
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
    throw malformed('metadata', `must be at most ${maxMetadataBytes} bytes of JSON`);
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

function parseCommon(raw: RawParams): Omit<CreateParams, 'metadata'> {
  const versionMin = versionNumber(raw, 'browser_version_min');
  const versionMax = versionNumber(raw, 'browser_version_max');
  if (versionMin !== undefined && versionMax !== undefined && versionMin > versionMax) {
    throw malformed('browser_version_min', 'must not be above browser_version_max');
  }
  const browser: BrowserParams = {
    os: operatingSystem(raw),
    headless: flag(raw['headless']),
    vnc: flag(raw['vnc']),
    forceVisibility: flag(raw['force_visibility']),
    ...given('browserVersionMin', versionMin),
    ...given('browserVersionMax', versionMax),
    ...given('browserLanguage', languageList(raw, 'browser_language')),
    ...given('uiLanguage', languageList(raw, 'ui_language')),
    ...given('screenWidthMin', screenSize(raw, 'screen_width_min', maxScreen.width)),
    ...given('screenHeightMin', screenSize(raw, 'screen_height_min', maxScreen.height)),
  };
  const lifetimeSeconds = clampLifetime(integer(raw, 'maxLifetime'));
  const named = { region: regionName(raw), profile: profileChoice(raw) };
  return { browser, lifetimeSeconds, idleSeconds: idleTimeout(raw), ...named, proxy: proxyUrl(raw['proxy']) };
}

/** Of both create paths; beside the parameters, since it says nothing of the session. */
export function parseWait(raw: RawParams): number {
  const seconds = integer(raw, 'wait') ?? 0;
  if (seconds < 0 || seconds > maxWaitSeconds) throw malformed('wait', `must be from 0 to ${maxWaitSeconds}`);
  return seconds;
}

const malformed = (field: ParameterName, rule: string) =>
  new ApiError('malformedParams', { because: `${field} ${rule}`, field });

/** Keeps members that were not given out of the object. */
function given<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}

/** JSON null counts as not given. */
function single(raw: RawParams, field: ParameterName): unknown {
  const value = raw[field];
  if (Array.isArray(value)) throw malformed(field, 'must be given once');
  return value ?? undefined;
}

/** Only `true` enables; anything else is false. */
const flag = (value: unknown): boolean => value === true || value === 'true';

function operatingSystem(raw: RawParams): OperatingSystem {
  const value = single(raw, 'os');
  if (value === undefined) return 'windows';
  const os = operatingSystems.find((known) => known === value);
  if (!os) throw malformed('os', `must be one of ${operatingSystems.join(', ')}`);
  return os;
}

function integer(raw: RawParams, field: ParameterName): number | undefined {
  const value = single(raw, field);
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !(Number.isInteger(number) || Math.abs(number) === Infinity)) {
    throw malformed(field, 'must be an integer');
  }
  return number;
}

/** 0 counts as not given. */
function idleTimeout(raw: RawParams): number | undefined {
  const seconds = integer(raw, 'idleTimeout');
  if (!seconds) return undefined;
  if (seconds < idleRange.min || seconds > idleRange.max) {
    throw malformed('idleTimeout', `must be from ${idleRange.min} to ${idleRange.max}`);
  }
  return seconds;
}

function versionNumber(raw: RawParams, field: ParameterName): number | undefined {
  const value = integer(raw, field);
  if (value !== undefined && (value < versionRange.min || value > versionRange.max)) {
    throw malformed(field, `must be from ${versionRange.min} to ${versionRange.max}`);
  }
  return value;
}

function screenSize(raw: RawParams, field: ParameterName, max: number): number | undefined {
  if (raw[field] === 'auto') return undefined;
  const value = integer(raw, field);
  if (value !== undefined && value > max) throw malformed(field, `must be at most ${max}`);
  return value !== undefined && value > 0 ? value : undefined;
}

const languageRange = String.raw`(?:\*|[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)(?: ?; ?q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?`;
const acceptLanguage = new RegExp(`^${languageRange}(?: ?, ?${languageRange})*$`);

function languageList(raw: RawParams, field: ParameterName): string | undefined {
  const value = single(raw, field);
  if (value === undefined || value === 'auto') return undefined;
  if (typeof value !== 'string' || value.length > 256 || !acceptLanguage.test(value)) {
    throw malformed(field, 'must be a language list such as en-US,en;q=0.9');
  }
  return value;
}

function regionName(raw: RawParams): string | undefined {
  const value = single(raw, 'region');
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !regionPattern.test(value)) {
    throw malformed('region', 'must be a name such as eu-west, of lowercase letters, digits and hyphens');
  }
  return value;
}

function profileChoice(raw: RawParams): ProfileChoice | undefined {
  const name = single(raw, 'profile');
  const save = flag(raw['saveProfile']);
  if (name === undefined) {
    if (save) throw malformed('saveProfile', 'must come with a profile');
    return undefined;
  }
  if (typeof name !== 'string' || !profileNamePattern.test(name)) {
    throw malformed(
      'profile',
      'must be a name of 1 to 64 letters, digits, dots, hyphens and underscores that begins with a letter or digit',
    );
  }
  return { name, save };
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

const tooLarge = (json: string): boolean => Buffer.byteLength(json) > maxMetadataBytes;

/** What a session says was asked for, under the API's own names; the proxy's password is masked. */
export function describeParams({
  browser,
  proxy,
  lifetimeSeconds,
  region,
  idleSeconds,
  profile,
}: CreateParams): Record<string, unknown> {
  return {
    os: browser.os,
    proxy: maskedProxyUrl(proxy),
    headless: browser.headless,
    vnc: browser.vnc,
    force_visibility: browser.forceVisibility,
    maxLifetime: lifetimeSeconds,
    ...given('region', region),
    ...given('idleTimeout', idleSeconds),
    // `profile` is what the session claims to be.
    ...(profile && { savedProfile: profile.name, saveProfile: profile.save }),
    ...given('browser_version_min', browser.browserVersionMin),
    ...given('browser_version_max', browser.browserVersionMax),
    ...given('browser_language', browser.browserLanguage),
    ...given('ui_language', browser.uiLanguage),
    ...given('screen_width_min', browser.screenWidthMin),
    ...given('screen_height_min', browser.screenHeightMin),
  };
}
