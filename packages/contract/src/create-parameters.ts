import { profileNamePattern, regionPattern } from './ids.ts';

/**
 * The parameters of a create, once for everyone: the gateway's parser and OpenAPI document, both clients, the command
 * line, the MCP tools, the dashboard's form and the README's table are derived from this table (decision 0033). It is
 * plain data without dependencies, because the dashboard takes it into the browser.
 */

/** Where a parameter may be given. */
export type Place =
  /** The query of GET /connect. */
  | 'query'
  /** The body of POST /api/browser/create: at its top, or in `browserParams`. */
  | 'body'
  /** The options of the Node and Python clients and of `turnpike open`, and the dashboard's form. */
  | 'client'
  /** The MCP tool open_session. */
  | 'agent';

const api = ['query', 'body'] as const;
const clients = [...api, 'client'] as const;
const everywhere = [...clients, 'agent'] as const;

interface Common {
  where: readonly Place[];
  /** The label of its form field. */
  label: string;
  /** One line of plain text for people, without a full stop. */
  help: string;
  /** Sentences in Markdown that the API reference adds. */
  more?: string;
  /** What happens without it, where `default` has no value for that. */
  absent?: string;
  example?: string;
  /** Goes to the host, as a member of `BrowserParams`. */
  host?: true;
  /** Describes the device that the session claims to be. */
  device?: true;
  /** The page in docs/ that says more. */
  page?: string;
}

/** On or off; only `true` turns it on. With a default it is always there after parsing, else only when true. */
export interface FlagParameter extends Common {
  kind: 'flag';
  default?: false;
}

export interface IntegerParameter extends Common {
  kind: 'integer';
  /** What it counts. */
  unit: string;
  min?: number;
  max?: number;
  /** What happens to numbers out of range. Default: they are refused. */
  outOfRange?: 'clamped';
  /** Numbers that count as not given. */
  notGiven?: 'zero' | 'zero or less';
  /** The word `auto` counts as not given. */
  auto?: true;
  default?: number;
}

/** One word of a few. */
export interface ChoiceParameter extends Common {
  kind: 'choice';
  choices: readonly string[];
  default?: string;
}

export interface TextParameter extends Common {
  kind: 'text';
  /** What the text is, in one word. */
  unit: string;
  required?: true;
  pattern?: RegExp;
  maxLength?: number;
  /** For what a pattern in the API reference does not say. */
  format?: 'proxy' | 'languages';
  /** The word `auto` counts as not given. */
  auto?: true;
  /** What to say to a text that does not fit; begins with "must". */
  rule?: string;
}

/** Several words or patterns: a JSON array, or one text with commas. */
export interface ListParameter extends Common {
  kind: 'list';
  /** What each item is, in one word. */
  unit: string;
  /** That every item fits. */
  pattern: RegExp;
  maxItems: number;
  /** What to say to a list that does not fit; begins with "must". */
  rule: string;
}

/** A JSON object. */
export interface ObjectParameter extends Common {
  kind: 'object';
  maxBytes: number;
}

export type CreateParameter =
  | FlagParameter
  | IntegerParameter
  | ChoiceParameter
  | TextParameter
  | ListParameter
  | ObjectParameter;

export const operatingSystems = ['windows', 'android', 'linux', 'macos'] as const;
export type OperatingSystem = (typeof operatingSystems)[number];

const version = {
  kind: 'integer',
  where: clients,
  unit: 'version',
  min: 1,
  max: 999,
  absent: 'the running version',
  more: 'If you give only one bound and it lies beyond the running version, the other bound follows it.',
  host: true,
  device: true,
  page: 'profiles',
} as const;

const language = {
  kind: 'text',
  where: clients,
  unit: 'list',
  format: 'languages',
  maxLength: 256,
  rule: 'must be a language list such as en-US,en;q=0.9',
  auto: true,
  host: true,
  device: true,
  page: 'profiles',
} as const;

const screen = {
  kind: 'integer',
  where: clients,
  unit: 'pixels',
  notGiven: 'zero or less',
  auto: true,
  host: true,
  device: true,
  page: 'profiles',
} as const;

/** In the order in which people see them. */
export const createParameters = {
  proxy: {
    kind: 'text',
    where: everywhere,
    unit: 'url',
    required: true,
    format: 'proxy',
    label: 'Proxy',
    help: 'URL of the proxy for all traffic: http, https, socks5 or socks5h, with its port; percent-encode its credentials',
    more: 'Required for a create.',
    example: 'http://user:password@proxy.example:8000',
  },
  os: {
    kind: 'choice',
    where: everywhere,
    choices: operatingSystems,
    default: 'windows',
    label: 'System',
    help: 'Operating system of the device that the session claims to be',
    host: true,
    page: 'profiles',
  },
  headless: {
    kind: 'flag',
    where: everywhere,
    default: false,
    label: 'Headless',
    help: 'Run without a display',
    host: true,
  },
  vnc: {
    kind: 'flag',
    where: everywhere,
    default: false,
    label: 'Live view',
    help: 'Offer a live view, a page to watch and use the browser; not for headless sessions',
    more: 'Its URL is in `x-vnc-url` and `vncUrl`.',
    host: true,
    page: 'live-view',
  },
  maxLifetime: {
    kind: 'integer',
    where: everywhere,
    unit: 'seconds',
    min: 120,
    max: 86_400,
    outOfRange: 'clamped',
    notGiven: 'zero',
    default: 7200,
    label: 'Lifetime',
    help: 'Seconds until the session ends by itself',
    more: 'Other numbers are clamped into the range; 0 counts as not given. `expiresAt` has the result.',
  },
  idleTimeout: {
    kind: 'integer',
    where: everywhere,
    unit: 'seconds',
    min: 10,
    max: 86_400,
    notGiven: 'zero',
    absent: 'never',
    label: 'Idle timeout',
    help: 'Seconds without a CDP or viewer message after which the session is closed',
    more: '0 counts as not given.',
  },
  wait: {
    kind: 'integer',
    where: everywhere,
    unit: 'seconds',
    min: 0,
    max: 60,
    default: 0,
    label: 'Wait for a slot',
    help: 'Seconds to wait for a free slot or seat',
    more: 'Without it a create that finds none is refused at once, with 429 or 503.',
  },
  region: {
    kind: 'text',
    where: everywhere,
    unit: 'name',
    pattern: regionPattern,
    rule: 'must be a name such as eu-west, of lowercase letters, digits and hyphens',
    absent: 'anywhere',
    label: 'Region',
    help: 'Region where the browser runs, as the operator has named it',
    page: 'cluster',
  },
  profile: {
    kind: 'text',
    where: everywhere,
    unit: 'name',
    pattern: profileNamePattern,
    rule: 'must be a name of 1 to 64 letters, digits, dots, hyphens and underscores that begins with a letter or digit',
    absent: 'none',
    label: 'Saved profile',
    help: 'Saved profile to start with: its cookies, local storage and IndexedDB',
    more: 'A name that was never saved starts empty.',
    example: 'shop',
    page: 'saved-profiles',
  },
  saveProfile: {
    kind: 'flag',
    where: everywhere,
    label: 'Save the profile',
    help: 'Save the profile when the session is closed; one session at a time',
    more: 'Needs `profile`. While another session is to save the same profile, the answer is 409 `PROFILE_IN_USE`.',
    page: 'saved-profiles',
  },
  sessionId: {
    kind: 'text',
    where: api,
    unit: 'id',
    label: 'Session',
    help: 'Running session to reconnect to; all other parameters are ignored and no browser is created',
    more: 'The value of `x-session-id`. The CDP id does not work here.',
  },
  browser_version_min: {
    ...version,
    label: 'Minimum Chromium version',
    help: 'Lowest Chromium major version that the device may claim',
  },
  browser_version_max: {
    ...version,
    label: 'Maximum Chromium version',
    help: 'Highest Chromium major version that the device may claim',
  },
  browser_language: {
    ...language,
    label: 'Languages',
    help: 'Languages that pages see, as in Accept-Language',
    more: '`auto` follows the country where the proxy exits.',
    example: 'de-DE,de;q=0.9,en;q=0.8',
  },
  ui_language: {
    ...language,
    label: 'UI language',
    help: "Language of the browser's own interface",
  },
  screen_width_min: {
    ...screen,
    max: 7680,
    label: 'Minimum screen width',
    help: 'Lowest screen width of the device in pixels',
  },
  screen_height_min: {
    ...screen,
    max: 4320,
    label: 'Minimum screen height',
    help: 'Lowest screen height of the device in pixels',
  },
  force_visibility: {
    kind: 'flag',
    where: clients,
    default: false,
    label: 'Keep tabs visible',
    help: 'Keep background tabs visible, focused and running at full speed',
    host: true,
    page: 'profiles',
  },
  metadata: {
    kind: 'object',
    where: clients,
    maxBytes: 16 * 1024,
    label: 'Metadata',
    help: 'JSON object of your own, kept on the session',
    example: '{"job":"j-1"}',
  },
} as const satisfies Record<string, CreateParameter>;

type Table = typeof createParameters;
export type ParameterName = keyof Table;

/** The value of a parameter, once parsed. */
export type ParameterValue<Name extends ParameterName> = ValueOf<Table[Name]>;

type ValueOf<Parameter> = Parameter extends { kind: 'flag' }
  ? boolean
  : Parameter extends { kind: 'integer' }
    ? number
    : Parameter extends { choices: readonly (infer Choice)[] }
      ? Choice
      : Parameter extends { kind: 'list' }
        ? readonly string[]
        : Parameter extends { kind: 'object' }
          ? Record<string, unknown>
          : string;

/** Names of parameters that have this member. */
type NamesWith<Member> = {
  [Name in ParameterName]: Table[Name] extends Member ? Name : never;
}[ParameterName];
type Camel<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<Camel<Rest>>}`
  : Name;
type Flat<T> = { [Name in keyof T]: T[Name] };
type HostName = NamesWith<{ host: true }>;
type AlwaysThere = NamesWith<{ default: unknown }>;

/** What a create asks of a browser, after parsing. Optional members were not given: the host chooses. */
export type BrowserParams = Flat<
  { [Name in HostName & AlwaysThere as Camel<Name>]: ParameterValue<Name> } & {
    [Name in Exclude<HostName, AlwaysThere> as Camel<Name>]?: ParameterValue<Name>;
  }
>;

/** What the clients take. */
export type ClientOptions = {
  [Name in NamesWith<{ where: typeof clients | typeof everywhere }> as Camel<Name>]?: ParameterValue<Name>;
};

/** The table as a list, in its order: those that may be given in one place, or all. */
export function parametersIn(place?: Place): (readonly [ParameterName, CreateParameter])[] {
  const all = Object.entries(createParameters) as [ParameterName, CreateParameter][];
  return all.filter(([, { where }]) => place === undefined || where.includes(place));
}

/** `screen_width_min` as `screenWidthMin`, the form in the Node client and inside the service. */
export const camelCase = (name: string): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** `maxLifetime` as `max_lifetime`, the form in Python. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `from 120 to 86400` or `at most 7680`; undefined: any value. */
export function rangeOf({ min, max }: { min?: number; max?: number }): string | undefined {
  if (min === undefined) return max === undefined ? undefined : `at most ${max}`;
  return max === undefined ? `at least ${min}` : `from ${min} to ${max}`;
}

/** The help of a parameter with its range: `Seconds to wait for a free slot or seat, from 0 to 60`. */
export function helpWithRange(parameter: CreateParameter): string {
  const range = parameter.kind === 'integer' ? rangeOf(parameter) : undefined;
  return range ? `${parameter.help}, ${range}` : parameter.help;
}

/** What holds without the parameter, for people: `7200`, `never`; undefined: there is nothing to say. */
export function defaultText(parameter: CreateParameter): string | undefined {
  if (parameter.absent !== undefined) return parameter.absent;
  if ('default' in parameter) return String(parameter.default);
  if (parameter.kind === 'flag') return 'false';
  return 'auto' in parameter ? 'auto' : undefined;
}
