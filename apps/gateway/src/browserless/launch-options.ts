import { type ParameterName, parametersIn } from '@turnpike/contract/create-parameters';
import { parseBoundedJson } from '@turnpike/process/bounded-json';
import type { RawParams } from '../creates/parameters/create-params.ts';
import { badRequest } from '../http/api-error.ts';
import { isObject } from '../http/json-body.ts';

/** What a query of Browserless's asks for. */
export interface Launch {
  /** The parameters of a create. */
  create: Record<string, unknown>;
  /** From `timeout`, if it is given and not zero. */
  timeoutMs: number | undefined;
  /** `defaultViewport` of the launch options: for pages that name no viewport. */
  viewport: unknown;
  /** What is ignored, in sentences. */
  warnings: string[];
}

const createNames = parametersIn('query').flatMap(([name, { alias }]) => (alias ? [name, alias] : [name]));

/** Members of `launch` that have no meaning here, or are the service's to choose. */
const ownChoice = ['channel', 'devtools', 'dumpio', 'env', 'executablePath', 'ignoreDefaultArgs', 'slowMo'];

/** More names than anybody reads are left out of a warning. */
const maxNamed = 20;

/**
 * Reads the query of Browserless's routes: `launch`, `timeout`, `blockAds`, `stealth`, `headless`, `trackingId`, and
 * arguments of Chromium such as `--proxy-server`. Every parameter of a create may stand in it too, and counts first.
 */
export function readLaunch(query: RawParams): Launch {
  const launch = launchObject(query['launch']);
  const asked = askedFor(query, launch);
  const given = Object.fromEntries(
    createNames.filter((name) => query[name] !== undefined).map((name) => [name, query[name]]),
  );
  // Browserless takes anything but `false` for true.
  for (const flag of ['headless', 'stealth'] as const) {
    if (given[flag] !== undefined) given[flag] = isOn(given[flag]);
  }
  const timeoutMs = timeoutOf(query['timeout']);
  const create: Record<string, unknown> = { ...asked.create, ...given };
  if (isOn(query['blockAds'])) create['block'] = [given['block'] ?? [], 'ads'].flat();
  const { trackingId } = query;
  if (typeof create['metadata'] === 'string') create['metadata'] = jsonObject('metadata', create['metadata']);
  else if (typeof trackingId === 'string') create['metadata'] ??= { trackingId };
  return { create, timeoutMs, viewport: launch['defaultViewport'], warnings: asked.warnings };
}

type Asked = Partial<Record<ParameterName, unknown>>;

function askedFor(query: RawParams, launch: Record<string, unknown>): { create: Asked; warnings: string[] } {
  const create: Asked = {};
  const warnings: string[] = [];
  const { headless, stealth, proxy, userDataDir, args = [] } = launch;
  if (headless !== undefined) create.headless = isOn(headless);
  if (stealth !== undefined) create.stealth = isOn(stealth);
  if (isObject(proxy)) create.proxy = proxyOf(proxy);
  if (typeof userDataDir === 'string') Object.assign(create, profileAt(userDataDir));
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string'))
    throw badRequest('The args of launch must be a list of strings.');
  const inQuery = Object.entries(query).filter(([name]) => name.startsWith('--'));
  const all = [...args, ...inQuery.map(([name, value]) => `${name}=${[value].flat()[0] ?? ''}`)];
  const ignored = new Set<string>();
  for (const arg of all) {
    const [name, value] = splitArgument(arg);
    const read = argumentsRead[name]?.(value);
    if (read) Object.assign(create, read);
    else ignored.add(name.slice(0, 60));
  }
  if (ignored.size > 0) {
    const names = [...ignored].slice(0, maxNamed).join(', ');
    const more = ignored.size > maxNamed ? ` and ${ignored.size - maxNamed} more` : '';
    warnings.push(`Arguments of Chromium are the service's to choose. Ignored: ${names}${more}.`);
  }
  const chosen = ownChoice.filter((name) => launch[name]);
  if (chosen.length > 0) warnings.push(`Of launch these are ignored: ${chosen.join(', ')}.`);
  if (launch['acceptInsecureCerts'] || launch['ignoreHTTPSErrors'] || isOn(query['ignoreHTTPSErrors']))
    warnings.push(
      'Certificates are checked. To accept any, your client sends Security.setIgnoreCertificateErrors.',
    );
  return { create, warnings };
}

/** Arguments that are a parameter of a create. Undefined if this one is none. */
const argumentsRead: Record<string, (value: string) => Asked | undefined> = {
  '--proxy-server': (value) => ({ proxy: /^[^:/]+:\d+$/.test(value) ? `http://${value}` : value }),
  '--user-data-dir': profileAt,
  '--headless': () => ({ headless: true }),
  '--lang': (value) => (value === '' ? undefined : { browser_language: value }),
  '--window-size': (value) => {
    const [, width, height] = /^(\d{1,4})[,x](\d{1,4})$/.exec(value) ?? [];
    if (width === undefined || height === undefined) return undefined;
    return { screen_width_min: Number(width), screen_height_min: Number(height) };
  },
};

/** The last part of a path is a saved profile's name. It is kept, as a directory would be. */
function profileAt(path: string): Asked | undefined {
  const name = path.split('/').findLast((part) => part !== '');
  return name === undefined ? undefined : { profile: name, save_profile: true };
}

/** Playwright's form of a proxy as a URL. */
function proxyOf({ server, username, password }: Record<string, unknown>): unknown {
  if (typeof server !== 'string' || typeof username !== 'string') return server;
  const [, scheme = 'http://', address = ''] = /^([a-z0-9]+:\/\/)?(.*)$/s.exec(server) ?? [];
  const secret = typeof password === 'string' ? `:${encodeURIComponent(password)}` : '';
  return `${scheme}${encodeURIComponent(username)}${secret}@${address}`;
}

function splitArgument(arg: string): [name: string, value: string] {
  const at = arg.indexOf('=');
  return at === -1 ? [arg, ''] : [arg.slice(0, at), arg.slice(at + 1)];
}

const isOn = (value: unknown): boolean => value !== undefined && value !== false && value !== 'false';

/** Undefined if none was given, or none is wanted. */
function timeoutOf(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !/^-?\d{1,12}$/.test(value))
    throw badRequest('timeout must be a number of milliseconds.');
  return Number(value) > 0 ? Number(value) : undefined;
}

function launchObject(value: unknown): Record<string, unknown> {
  if (value === undefined || value === '') return {};
  const text = typeof value === 'string' ? value.trim() : '';
  return jsonObject('launch', text.startsWith('{') ? text : Buffer.from(text, 'base64').toString('utf8'));
}

function jsonObject(name: 'launch' | 'metadata', json: string): Record<string, unknown> {
  try {
    const parsed = parseBoundedJson(json);
    if (isObject(parsed)) return parsed;
  } catch {
    // The same answer as for JSON that is no object.
  }
  const or = name === 'launch' ? ', plain or in base64' : '';
  throw badRequest(`${name} must be a JSON object${or}.`, { field: name });
}
