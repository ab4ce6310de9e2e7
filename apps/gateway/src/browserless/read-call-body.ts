import type { PageFormat } from '@turnpike/contract/page/page-formats';
import { maxPageTimeoutMs, resourceTypes } from '@turnpike/contract/page/page-request';
import { badRequest } from '../http/api-error.ts';
import { isObject } from '../http/json-body.ts';

/** Browserless's calls that are a page call here. */
export const pageCalls = ['screenshot', 'pdf', 'content', 'scrape'] as const satisfies PageFormat[];
export type PageCallName = (typeof pageCalls)[number];

/** A body of Browserless's, as a page call. */
export interface ReadBody {
  /** Not checked yet. */
  parameters: Record<string, unknown>;
  /** Whether a scrape is to say what the page logged. */
  debug: boolean;
  /** What is ignored, in sentences. */
  warnings: string[];
}

type Members = Readonly<Record<string, unknown>>;
type Change = (value: unknown) => unknown;

const same: Change = (value) => value;
/** Zero is Puppeteer's word for no limit. */
const timeout: Change = (value) => {
  if (typeof value !== 'number') return value;
  return value <= 0 ? maxPageTimeoutMs : Math.min(Math.ceil(value), maxPageTimeoutMs);
};
/** The members of an object that have a meaning here. Others, and null, are left out. */
const members =
  (known: Readonly<Record<string, Change>>): Change =>
  (value) => {
    if (!isObject(value)) return value;
    const kept = Object.entries(value).filter(
      ([name, member]) => Object.hasOwn(known, name) && member !== null,
    );
    return Object.fromEntries(kept.map(([name, member]) => [name, known[name]?.(member)]));
  };
const each =
  (change: Change): Change =>
  (value) =>
    Array.isArray(value) ? value.map(change) : value;
const all = (...names: string[]) => Object.fromEntries(names.map((name) => [name, same]));

const elements = each(members({ selector: same, timeout }));
const gotoOptions = members({ waitUntil: same, referer: same, timeout });
const waitForSelector = members({ ...all('selector', 'visible', 'hidden'), timeout });
const waitForFunction = members({ ...all('fn', 'polling'), timeout });
const scriptTag = each(members(all('content', 'url', 'type')));
const styleTag = each(members(all('content', 'url')));

const screenshotOptions = members(
  all(
    ...['type', 'quality', 'fullPage', 'omitBackground', 'captureBeyondViewport', 'optimizeForSpeed'],
    ...['clip', 'encoding'],
  ),
);
const pdfOptions = members({
  ...all('width', 'height', 'landscape', 'scale', 'margin', 'printBackground', 'omitBackground'),
  ...all('preferCSSPageSize', 'displayHeaderFooter', 'headerTemplate', 'footerTemplate', 'pageRanges'),
  ...all('tagged', 'outline'),
  format: (value) => (typeof value === 'string' ? value.toLowerCase() : value),
  timeout,
});

/** What every call takes. */
const common: Readonly<Record<string, Change>> = {
  ...all('url', 'html', 'viewport', 'cookies', 'authenticate', 'setExtraHTTPHeaders', 'emulateMediaType'),
  ...all('rejectRequestPattern', 'setJavaScriptEnabled', 'bestAttempt'),
  gotoOptions,
  waitForSelector,
  waitForFunction,
  waitForTimeout: timeout,
  addScriptTag: scriptTag,
  addStyleTag: styleTag,
  // Puppeteer takes an object, too.
  userAgent: (value) => (isObject(value) ? value['userAgent'] : value),
};

/** Read below. */
const readApart = ['rejectResourceTypes', 'requestInterceptors', 'waitForEvent', 'options', 'debugOpts'];

const own: Readonly<Record<PageCallName, Readonly<Record<string, Change>>>> = {
  screenshot: all('selector', 'scrollPage'),
  pdf: {},
  content: {},
  scrape: { elements },
};

/**
 * Reads the body of one of Browserless's calls. Throws for what would make another page of it: it has no meaning here
 * and cannot be left out.
 */
export function readCallBody(call: PageCallName, body: Members, viewport?: unknown): ReadBody {
  const warnings: string[] = [];
  const known = { ...common, ...own[call] };
  const given = Object.entries(body).filter(([, value]) => value !== null && value !== undefined);
  const parameters = members(known)(Object.fromEntries(given)) as Record<string, unknown>;
  const unknown = given.map(([name]) => name).filter((name) => !(name in known) && !readApart.includes(name));
  if (unknown.length > 0)
    warnings.push(`Ignored members of the body: ${unknown.slice(0, 20).map(shown).join(', ')}.`);

  if (!parameters['url'] && !parameters['html']) throw badRequest('url or html is required.');
  // Of both, Browserless loads the address.
  if (parameters['url']) delete parameters['html'];
  else delete parameters['url'];
  if (viewport !== undefined) parameters['viewport'] ??= viewport;
  if (parameters['cookies'] !== undefined)
    parameters['cookies'] = each((cookie) => readCookie(cookie, body['url']))(parameters['cookies']);
  if (Array.isArray(body['requestInterceptors']) && body['requestInterceptors'].length > 0)
    throw badRequest(
      'requestInterceptors is not offered. Connect with Puppeteer or Playwright to answer requests yourself.',
    );
  readResourceTypes(body['rejectResourceTypes'], parameters, warnings);
  readEvent(body['waitForEvent'], parameters, warnings);
  readOptions(call, body['options'], parameters, warnings);
  // A page that answers with an error is a page to Browserless.
  parameters['ignoreHttpErrors'] = true;
  return { parameters, debug: readDebug(call, body['debugOpts'], warnings), warnings };
}

const shown = (name: string): string => name.slice(0, 40);

const cookie = members({
  ...all('name', 'value', 'url', 'domain', 'path', 'expires', 'httpOnly', 'secure', 'sameSite'),
});

/** A cookie as Puppeteer takes it, and also as it lists it: -1 is a cookie of the session. */
function readCookie(value: unknown, url: unknown): unknown {
  const read = cookie(value);
  if (!isObject(read)) return read;
  const { expires, ...others } = read;
  const place = others['url'] === undefined && others['domain'] === undefined && url ? { url } : {};
  return { ...others, ...place, ...(typeof expires === 'number' && expires < 0 ? {} : { expires }) };
}

const knownTypes = new Set<unknown>(resourceTypes);

function readResourceTypes(value: unknown, parameters: Record<string, unknown>, warnings: string[]): void {
  if (!Array.isArray(value)) {
    if (value !== undefined && value !== null) parameters['rejectResourceTypes'] = value;
    return;
  }
  const others = value.filter((type) => !knownTypes.has(type));
  if (others.length > 0)
    warnings.push(`Not resource types: ${others.slice(0, 20).map(String).map(shown).join(', ')}.`);
  const types = [...new Set(value.filter((type) => knownTypes.has(type)))];
  if (types.length > 0) parameters['rejectResourceTypes'] = types;
}

/** An event is waited for by a function that listens when it is called first, and then says whether it has come. */
function readEvent(value: unknown, parameters: Record<string, unknown>, warnings: string[]): void {
  if (!isObject(value)) return;
  const { event, timeout: given } = value;
  if (typeof event !== 'string' || event.length > 200)
    throw badRequest('waitForEvent.event must be the name of an event.');
  if (parameters['waitForFunction'] !== undefined) {
    warnings.push('waitForEvent is ignored beside waitForFunction.');
    return;
  }
  const fn = `() => {
  const waits = (globalThis.turnpikeWaits ??= {});
  const name = ${JSON.stringify(event)};
  if (!Object.hasOwn(waits, name)) {
    waits[name] = false;
    for (const target of [document, window])
      target.addEventListener(name, () => { waits[name] = true; }, { once: true });
  }
  return waits[name];
}`;
  parameters['waitForFunction'] = { fn, ...(given === undefined ? {} : { timeout: timeout(given) }) };
}

function readOptions(
  call: PageCallName,
  value: unknown,
  parameters: Record<string, unknown>,
  warnings: string[],
): void {
  if (!isObject(value)) return;
  if (call === 'screenshot') {
    if (value['path'] !== undefined) throw badRequest('options.path is not allowed.');
    parameters['screenshotOptions'] = screenshotOptions(value);
  } else if (call === 'pdf') {
    parameters['pdfOptions'] = pdfOptions(value);
    if (value['fullPage']) warnings.push('fullPage of a PDF is ignored: give a height.');
  }
}

/** Of what Browserless tells for debugging, the errors in the console are at hand. */
function readDebug(call: PageCallName, value: unknown, warnings: string[]): boolean {
  if (call !== 'scrape' || !isObject(value)) return false;
  const missing = ['cookies', 'html', 'network', 'screenshot'].filter((name) => value[name]);
  if (missing.length > 0) warnings.push(`Of debugOpts these are ignored: ${missing.join(', ')}.`);
  return true;
}
