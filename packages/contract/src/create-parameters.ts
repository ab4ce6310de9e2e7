import type { CreateParameter, Place } from './create-parameter.ts';
import {
  maxSessionTags,
  profileNamePattern,
  regionPattern,
  sessionNamePattern,
  sessionTagPattern,
  snapshotIdPattern,
} from './ids.ts';

/**
 * The parameters of a create, once for everyone: the gateway's parser and OpenAPI document, both clients, the command
 * line, the MCP tools, the dashboard's form and the README's table are derived from this table (decision 0033). It is
 * plain data without dependencies, because the dashboard takes it into the browser.
 *
 * Names are snake_case. `maxLifetime` and `sessionId` are not, because they belong to the service's contract. A parameter
 * that we once named otherwise has that name as its `alias`. Node, agents and the service inside write all names in
 * camelCase, Python in snake_case, the command line with hyphens.
 */

const api = ['query', 'body'] as const;
const clients = [...api, 'client'] as const;
const everywhere = [...clients, 'agent'] as const;

export const operatingSystems = ['windows', 'android', 'linux', 'macos'] as const;
export type OperatingSystem = (typeof operatingSystems)[number];

/** What a session can do without: resource types, and what filter lists name. */
export const blockKinds = ['images', 'media', 'fonts', 'stylesheets', 'ads', 'trackers'] as const;
export type BlockKind = (typeof blockKinds)[number];

const version = {
  kind: 'integer',
  where: clients,
  unit: 'version',
  min: 1,
  max: 999,
  absent: 'the running version',
  more: 'If you give only one bound and it lies beyond the running version, the other bound follows it. An older version is a name only: pages find what newer versions have added. Leave it out to claim the newest.',
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

const hosts = {
  kind: 'list',
  where: everywhere,
  unit: 'host',
  format: 'hosts',
  pattern: /^\S{1,255}$/,
  maxItems: 1000,
  maxBytes: 32 * 1024,
  rule: 'must be at most 1000 host names such as example.com or *.example.com, and at most 32768 bytes',
  host: true,
  page: 'traffic',
} as const;

/** In the order in which people see them. */
export const createParameters = {
  proxy: {
    kind: 'text',
    where: everywhere,
    unit: 'url',
    absent: "the account's default; without one it is required",
    format: 'proxy',
    label: 'Proxy',
    help: 'Proxy for all traffic: name:NAME of a saved one, pool:NAME, or the URL of an http, https, socks5 or socks5h proxy with its port and percent-encoded credentials',
    example: 'http://user:password@proxy.example:8000',
    page: 'proxies',
  },
  proxy_key: {
    kind: 'text',
    where: everywhere,
    unit: 'key',
    pattern: /^[\x21-\x7e]{1,128}$/,
    rule: 'must be 1 to 128 printable characters without spaces',
    absent: 'none',
    label: 'Proxy key',
    help: 'Key of your own: the same key gets the same proxy of a sticky pool, and the same session of a template',
    example: 'customer-42',
    page: 'proxies',
  },
  proxy_country: {
    kind: 'text',
    where: everywhere,
    unit: 'country',
    pattern: /^[A-Za-z]{2}$/,
    rule: 'must be a country code of two letters',
    absent: 'the country of the saved proxy',
    label: 'Proxy country',
    help: 'Country for the placeholder {country} of a saved proxy; the device follows it',
    example: 'us',
    page: 'proxies',
  },
  proxy_rules: {
    kind: 'text',
    where: clients,
    unit: 'json',
    absent: 'all through proxy',
    label: 'Proxy rules',
    help: 'Hosts that go through another proxy, as JSON: a list of rules with hosts and a proxy. The first that matches counts',
    more: 'At most 20 rules of 200 hosts each, with patterns as in `allow_hosts`. A proxy is a URL, `name:` or `pool:`. In a body it may be the array itself.',
    example: '[{"hosts":["*.cdn.example"],"proxy":"name:cheap"}]',
    page: 'proxies',
  },
  proxy_pin_exit: {
    kind: 'choice',
    where: everywhere,
    choices: ['true', 'stop'],
    absent: 'it may change',
    label: 'Watch the exit address',
    help: "Read the proxy's exit address at an interval: true sends an event when it changes, stop ends all traffic",
    host: true,
    page: 'proxies',
  },
  os: {
    kind: 'choice',
    where: everywhere,
    choices: operatingSystems,
    default: 'windows',
    label: 'System',
    help: 'Operating system of the device that the session claims to be',
    more: 'Arithmetic shows pages the processor of the host. With x86, `macos` is a Mac with an Intel processor; an `android` phone shows x86 to a page that looks.',
    host: true,
    page: 'profiles',
  },
  device: {
    kind: 'text',
    where: everywhere,
    unit: 'id',
    pattern: /^(?:windows|android|linux|macos)\.[a-z0-9-]{1,40}\.[0-9a-z]{4}$/,
    rule: 'must be the id of a device, from browserParams.profile.device of an earlier session',
    absent: "the saved profile's, or any",
    label: 'Device',
    help: 'Device of an earlier session, by its id in browserParams.profile.device',
    more: 'It decides `os`. Its screen is another one of the same device where the session needs that: see the guide.',
    example: 'windows.t14g2.1000',
    host: true,
    device: true,
    page: 'profiles',
  },
  device_seed: {
    kind: 'text',
    where: everywhere,
    unit: 'text',
    pattern: /^[\x20-\x7e]{1,128}$/,
    rule: 'must be 1 to 128 printable characters',
    absent: 'none',
    label: 'Device seed',
    help: 'Text of your own: the same text and system get the same device',
    more: 'Not with `device`. Macs differ between hosts with x86 and ARM processors.',
    example: 'customer-42',
    host: true,
    device: true,
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
  idle_timeout: {
    alias: 'idleTimeout',
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
  close_on_disconnect: {
    kind: 'integer',
    where: clients,
    unit: 'seconds',
    min: 1,
    max: 86_400,
    notGiven: 'zero',
    absent: 'never',
    label: 'Close on disconnect',
    help: 'Seconds after its last client has left after which the session is closed',
    more: 'Live-view viewers count as clients. 0 counts as not given.',
    host: true,
  },
  standby: {
    kind: 'integer',
    where: clients,
    unit: 'seconds',
    min: 1,
    max: 86_400,
    notGiven: 'zero',
    absent: 'never',
    label: 'Standby',
    help: 'Seconds without use after which the browser sleeps until it is used again',
    more: '0 counts as not given.',
    host: true,
    page: 'standby',
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
  save_profile: {
    alias: 'saveProfile',
    kind: 'flag',
    where: everywhere,
    label: 'Save the profile',
    help: 'Save the profile when the session is closed; one session at a time',
    more: 'Needs `profile`. While another session that saves the same profile runs, the answer is 409 `PROFILE_IN_USE`.',
    page: 'saved-profiles',
  },
  snapshot: {
    kind: 'text',
    where: everywhere,
    unit: 'id',
    pattern: snapshotIdPattern,
    rule: 'must be the id of a snapshot, such as snap_ and 24 digits of hexadecimal',
    absent: 'none',
    label: 'Snapshot',
    help: 'Snapshot to begin with: its cookies, storage, tabs and device',
    more: 'Parameters that are given win over those of the snapshot. While a session of the same identity runs, the answer is 409 `IDENTITY_IN_USE` without `fork`.',
    page: 'snapshots',
  },
  fork: {
    kind: 'flag',
    where: everywhere,
    label: 'Fork',
    help: 'Begin with the snapshot although a session of the same identity runs',
    more: 'Sites see one person twice then. Needs `snapshot`.',
    page: 'snapshots',
  },
  allow_hosts: {
    ...hosts,
    absent: 'all',
    label: 'Allowed hosts',
    help: 'Hosts that the session may reach; all others are refused',
    more: 'Names, addresses, and patterns: `*.example.com` is every name below `example.com`, and not that name itself.',
    example: 'example.com,*.example.com',
  },
  block_hosts: {
    ...hosts,
    absent: 'none',
    label: 'Blocked hosts',
    help: 'Hosts that the session may not reach',
    more: 'Names, addresses and patterns, as in `allow_hosts`. Of a host on both lists this one decides.',
    example: '*.ads.example',
  },
  max_bytes: {
    kind: 'integer',
    where: everywhere,
    unit: 'bytes',
    min: 65_536,
    max: 2 ** 50,
    notGiven: 'zero',
    absent: 'no limit',
    label: 'Traffic limit',
    help: 'Bytes to and from the proxy, together, that the session may use',
    more: 'Then its connections are cut and all further requests are refused. The session goes on. 0 counts as not given.',
    host: true,
    page: 'traffic',
  },
  block: {
    kind: 'list',
    where: everywhere,
    unit: 'kind',
    pattern: new RegExp(`^(?:${blockKinds.join('|')})$`),
    maxItems: blockKinds.length,
    rule: `must be a list of ${blockKinds.slice(0, -1).join(', ')} and ${blockKinds.at(-1)}`,
    absent: 'nothing',
    label: 'Block',
    help: 'What the browser does not load, to save traffic: images, media, fonts, stylesheets, ads, trackers',
    more: 'Ads and trackers follow the filter lists of the operator. Where there is none, the answer is 400.',
    example: 'images,media,ads',
    host: true,
    page: 'saving-traffic',
  },
  cache: {
    kind: 'text',
    where: everywhere,
    unit: 'name',
    pattern: profileNamePattern,
    rule: 'must be a name of 1 to 64 letters, digits, dots, hyphens and underscores that begins with a letter or digit',
    absent: 'none',
    label: 'HTTP cache',
    help: 'HTTP cache to start with, kept from an earlier session; saved when the session is closed',
    more: 'A name that was never saved starts empty. While a session that will save it runs, others only read it.',
    example: 'shop',
    page: 'saving-traffic',
  },
  extensions: {
    kind: 'list',
    where: everywhere,
    unit: 'name',
    pattern: /^[^,]{1,200}$/,
    maxItems: 8,
    rule: 'must be a list of at most 8 ids or names of uploaded extensions',
    absent: 'none',
    label: 'Extensions',
    help: 'Ids or names of uploaded extensions that the browser loads',
    more: 'Upload them first. A name with a comma, or one that two of them have, needs the id.',
    example: 'Cookie banners',
    page: 'extensions',
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
  stealth: {
    kind: 'flag',
    where: everywhere,
    label: 'Stealth',
    help: 'Hide from pages that a CDP client drives the browser',
    more: 'Sound and pictures that pages draw are those of the machine, the same in all sessions of a host. Console messages are delivered as text then, without their arguments.',
    host: true,
    page: 'profiles',
  },
  record: {
    kind: 'flag',
    where: everywhere,
    label: 'Record',
    help: 'Record what the session does: commands, requests, console, pictures',
    more: 'Secrets are masked. With `stealth` the console is left out.',
    host: true,
    page: 'recordings',
  },
  record_bodies: {
    kind: 'flag',
    where: everywhere,
    label: 'Record bodies',
    help: 'Record the bodies of requests and responses, up to 64 KiB of each',
    more: 'Needs `record`.',
    host: true,
    page: 'recordings',
  },
  record_pictures: {
    kind: 'integer',
    where: everywhere,
    unit: 'pictures',
    min: 0,
    max: 4,
    absent: '1',
    label: 'Pictures',
    help: 'Most pictures a second of the visible tab that are recorded when it changes',
    more: 'Needs `record`. 0 records none.',
    host: true,
    page: 'recordings',
  },
  name: {
    kind: 'text',
    where: everywhere,
    unit: 'text',
    pattern: sessionNamePattern,
    rule: 'must be 1 to 200 characters without control characters',
    absent: '`metadata.name`, where that is a text',
    label: 'Name',
    help: 'Name of the session for people. Several sessions may have the same',
    more: '`PATCH /api/browser/:id` changes it.',
    example: 'Checkout test',
  },
  tags: {
    kind: 'list',
    where: everywhere,
    unit: 'tag',
    pattern: sessionTagPattern,
    maxItems: maxSessionTags,
    rule: 'must be at most 20 tags of 1 to 64 letters, digits and the signs . : / @ + = _ -',
    absent: 'none',
    label: 'Tags',
    help: 'Words to find the session by',
    more: '`PATCH /api/browser/:id` changes them.',
    example: 'nightly,team:web',
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

/**
 * The name that every version of the service knows: the alias, where there is one. Clients send it, because a gateway of
 * version 0.1.0 ignores names that it does not know; hosts announce it; and sessions show it, because clients read it.
 */
export function firstName(name: ParameterName): string {
  const { alias }: CreateParameter = createParameters[name];
  return alias ?? name;
}

/** `screen_width_min` as `screenWidthMin`, the form in the Node client and inside the service. */
export const camelCase = (name: string): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** `maxLifetime` as `max_lifetime`, the form in Python. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The system of the device that an id names; undefined if it is no id of a device. The host knows the rest. */
export function systemOfDevice(id: string): OperatingSystem | undefined {
  return operatingSystems.find((os) => id.startsWith(`${os}.`));
}
