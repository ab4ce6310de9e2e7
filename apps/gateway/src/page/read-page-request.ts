import type { PageCall } from '@turnpike/contract/page/page-call';
import type { PageFormat } from '@turnpike/contract/page/page-formats';
import {
  defaultPageTimeoutMs,
  maxPageTimeoutMs,
  PageFormats,
  PageParameters,
} from '@turnpike/contract/page/page-request';
import { parseBoundedJson } from '@turnpike/process/bounded-json';
import type { TSchema } from 'typebox';
import { ApiError, badRequest } from '../http/api-error.ts';
import { parseWith } from '../http/parse-with.ts';

/** A page call: what is done, and in which session. */
export interface AskedPage {
  /** The session that runs already; undefined means one of its own. */
  sessionId: string | undefined;
  /** The parameters of the create. */
  options: Record<string, unknown>;
  call: PageCall;
}

/** What one call reads of a page, and whether it is answered as it is. */
export interface AskedFormats {
  formats: readonly PageFormat[];
  raw: boolean;
}

/** Time to read what was loaded, beyond the waits that a call names. */
const readingMs = 30_000;

const members: Record<string, TSchema> = PageParameters.properties;
export const pageParameterNames: readonly string[] = Object.keys(members);

/** Reads a body. `asked` is undefined for a call that names its formats. Throws the rule that it breaks. */
export function readPageBody(body: Record<string, unknown>, asked: AskedFormats | undefined): AskedPage {
  const { formats, sessionId, options: ownOptions, ...others } = body;
  const chosen = asked ?? { formats: parseWith(PageFormats, formats) as PageFormat[], raw: false };
  const given = Object.entries({ ...others, ...namedOptions(ownOptions, chosen.formats) });
  const isOfPage = ([name, value]: [string, unknown]) =>
    Object.hasOwn(members, name) && value !== undefined && value !== null;
  const parameters = parseWith(PageParameters, Object.fromEntries(given.filter(isOfPage)));
  if (sessionId !== undefined && typeof sessionId !== 'string')
    throw badRequest('sessionId must be a string', { field: 'sessionId' });
  checkTogether(parameters, sessionId, chosen.formats);
  const call: PageCall = {
    parameters,
    formats: [...new Set(chosen.formats)],
    raw: chosen.raw,
    timeoutMs: timeoutOf(parameters),
  };
  const create = Object.fromEntries(given.filter(([name]) => !Object.hasOwn(members, name)));
  return { sessionId, call, options: createOptions(create, call.timeoutMs) };
}

/** Reads a query: text for words, numbers and flags, JSON for the rest. */
export function readPageQuery(query: Record<string, unknown>, asked: AskedFormats): AskedPage {
  const { token: _, ...given } = query;
  const values = Object.entries(given).map(([name, value]) => [name, readText(name, value)]);
  return readPageBody(Object.fromEntries(values), asked);
}

function readText(name: string, value: unknown): unknown {
  const isOwn = Object.hasOwn(members, name) || name === 'options';
  if (!isOwn || typeof value !== 'string') return value;
  const { type } = (members[name] ?? {}) as { type?: string };
  if (type === 'string') return value;
  if (type === undefined && !/^[[{]/.test(value)) return value; // One of several words.
  try {
    return parseBoundedJson(value);
  } catch {
    throw badRequest(`${name} must be JSON`, { field: name });
  }
}

/** `options` stands for the options of the one format that has any, as the field's clients send it. */
function namedOptions(options: unknown, formats: readonly PageFormat[]): Record<string, unknown> {
  if (options === undefined || options === null) return {};
  return formats.includes('pdf') ? { pdfOptions: options } : { screenshotOptions: options };
}

function checkTogether(
  { url, html, elements, screenshotOptions }: PageParameters,
  sessionId: string | undefined,
  formats: readonly PageFormat[],
): void {
  if (url !== undefined && html !== undefined) throw badRequest('url and html must not both be given');
  if (url === undefined && html === undefined && sessionId === undefined)
    throw badRequest('url is required: the address of a page. Or give html, or the sessionId of a session');
  if (url !== undefined && !isWebAddress(url)) throw new ApiError('pageUrl', { field: 'url' });
  if (formats.includes('scrape') && elements === undefined)
    throw badRequest('elements is required: what to scrape, e.g. [{"selector": "h1"}]', {
      field: 'elements',
    });
  const { type = 'png', quality } = screenshotOptions ?? {};
  if (quality !== undefined && type === 'png')
    throw badRequest('screenshotOptions/quality must come with the type jpeg or webp');
}

/** A page is at an address with http or https. `about:blank` is an empty one. */
function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'http:' || url?.protocol === 'https:' || url?.href === 'about:blank';
}

function timeoutOf({
  gotoOptions,
  waitForSelector,
  waitForFunction,
  waitForTimeout,
  elements,
}: PageParameters): number {
  // 0 means no limit of its own.
  const limit = (ms: number | undefined) => (ms === 0 ? maxPageTimeoutMs : (ms ?? defaultPageTimeoutMs));
  const waits = [
    limit(gotoOptions?.timeout),
    ...(waitForSelector ? [limit(waitForSelector.timeout)] : []),
    ...(waitForFunction ? [limit(waitForFunction.timeout)] : []),
    ...(elements ?? []).map(({ timeout = 0 }) => timeout),
    waitForTimeout ?? 0,
    readingMs,
  ];
  return Math.min(
    maxPageTimeoutMs,
    waits.reduce((sum, ms) => sum + ms),
  );
}

/** How long a session is left to be closed by itself, should its gateway die. */
const spareSeconds = 60;
/** A call that comes right after another waits until that one's session is closed. */
const waitSeconds = 10;

/** A session for one call is headless and short, unless the call says otherwise. */
export function createOptions(given: Record<string, unknown>, timeoutMs: number): Record<string, unknown> {
  return {
    headless: true,
    maxLifetime: Math.ceil(timeoutMs / 1000) + spareSeconds,
    wait: waitSeconds,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)),
  };
}
