import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { maxArchiveBytes } from '@turnpike/contract/host';
import { regionPattern } from '@turnpike/contract/ids';

/**
 * All settings of the service, each written once. Validation, `turnpike doctor`, the message for a misspelt variable and
 * docs/settings.md (`npm run settings`) take their words from here.
 */

interface Common {
  /** What it is, in a phrase that begins a sentence. */
  help: string;
  /** What applies without it, where that is not `default`. */
  absent?: string;
  /** The guide that has more. */
  page?: string;
}

/** What a value must be, after "must": `valid` decides, on each item of a list. */
interface Rule {
  rule?: string;
  valid?: (text: string) => boolean;
  /** Whether messages leave the value out. */
  secret?: boolean;
}

export type Setting = Common &
  (
    | { kind: 'integer' | 'port'; default?: number; min: number; max: number }
    | { kind: 'choice'; default?: string; choices: readonly string[] }
    | ({ kind: 'text'; default?: string } & Rule)
    /** Items separated by commas. */
    | ({ kind: 'list' } & Rule)
    /** Messages leave it out, because it may contain a password. */
    | { kind: 'url'; schemes: readonly string[] }
    /** The name of a file, whose content is the value. */
    | { kind: 'file' }
  );

/** What runs on a machine: the whole service, or one part of a cluster. */
export type Part = 'up' | 'gateway' | 'host' | 'proxy';

const rows = <const T extends Readonly<Record<string, Setting>>>(table: T): T => table;
const port = { kind: 'port', min: 0, max: 65_535 } as const;
const web = ['http', 'https'] as const;
const origins = {
  kind: 'list',
  absent: 'none',
  rule: 'be a comma-separated list of origins like https://example.com',
  valid: (text: string) => !['null', undefined].includes(URL.parse(text)?.origin),
} as const;
const archive = { kind: 'integer', default: 16 * 2 ** 20, min: 1024, max: maxArchiveBytes } as const;
const secretKey = {
  secret: true,
  valid: (text: string) => /^[0-9a-f]{64}$/.test(text),
} as const;

const everyProcess = rows({
  TURNPIKE_LOG_LEVEL: {
    kind: 'choice',
    choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    absent: 'info; on a terminal without `--verbose`, warn',
    help: 'Least important log lines that are written',
  },
  TURNPIKE_METRICS_PORT: {
    ...port,
    absent: 'none: off',
    help: 'Port for Prometheus metrics of this process, at `/metrics`',
    page: 'monitoring',
  },
  TURNPIKE_METRICS_BIND: {
    kind: 'text',
    default: '127.0.0.1',
    help: 'Address for metrics. There is no authentication, so keep it in your own network',
  },
});

const store = rows({
  TURNPIKE_DATA_DIR: {
    kind: 'text',
    default: 'data',
    help: 'Directory of the SQLite file. Only one running Turnpike can use it',
  },
  DATABASE_URL: {
    kind: 'url',
    schemes: ['postgres', 'postgresql'],
    help: 'URL of a PostgreSQL database, which is used instead of SQLite',
  },
  TURNPIKE_SECRET_KEY: {
    kind: 'text',
    ...secretKey,
    rule: 'be 64 hexadecimal digits',
    absent: 'created once, in the data directory',
    help: 'Key of 64 hexadecimal digits that seals tokens, proxy passwords, webhook secrets and saved profiles. It must be the same for all processes on one store',
  },
  TURNPIKE_SECRET_KEYS_OLD: {
    kind: 'list',
    ...secretKey,
    rule: 'be keys of 64 hexadecimal digits each, separated by commas',
    help: 'Previous keys, separated by commas. They still open what was sealed under them, until `turnpike secrets reseal` seals it under the new key',
  },
  TURNPIKE_PRODUCTS_FILE: {
    kind: 'text',
    absent: 'traffic goes directly to the target',
    help: "File that says where each product's traffic goes",
    page: 'bandwidth',
  },
});

const gateway = rows({
  TURNPIKE_PORT: { ...port, default: 8080, help: "The gateway's port" },
  TURNPIKE_BIND: {
    kind: 'text',
    default: '127.0.0.1',
    help: "The gateway's address. If it is not loopback, proxies on loopback are not allowed by default",
  },
  TURNPIKE_PUBLIC_URL: {
    kind: 'url',
    schemes: web,
    help: "The gateway's public URL. Dashboard links begin with it",
  },
  TURNPIKE_TRUST_PROXY: {
    kind: 'list',
    absent: 'none',
    rule: 'be a list of addresses or CIDRs',
    valid: (text) => isIP(text.replace(/\/\d{1,3}$/, '')) !== 0,
    help: 'Addresses and CIDRs of load balancers whose `X-Forwarded-For` is trusted, separated by commas',
  },
  TURNPIKE_PROXY_ALLOW: {
    kind: 'text',
    default: '',
    help: 'Host names and CIDRs of non-public proxies to allow, separated by commas; also of proxies on the same machine. Hosts read it too: they refuse proxies at their own public addresses',
  },
  TURNPIKE_WEBHOOK_ALLOW: {
    kind: 'text',
    default: '',
    help: 'Non-public destinations of webhooks to allow: host names and CIDRs, each with a port or for all ports (`hooks.internal:8443,10.0.0.0/8:443,[fd00::/8]:443`)',
  },
  TURNPIKE_CREATE_TIMEOUT: {
    kind: 'integer',
    default: 30,
    min: 1,
    max: 120,
    help: 'Time limit of a create, in seconds',
  },
  TURNPIKE_STANDBY_FACTOR: {
    kind: 'text',
    default: '1',
    rule: 'be a number from 0 to 1 with at most three decimals, such as 0.25',
    valid: (text) => /^(?:0(?:\.\d{1,3})?|1(?:\.0{1,3})?)$/.test(text),
    help: 'What a second asleep costs, of a second awake. It counts for sessions that are created from then on',
    page: 'standby',
  },
  TURNPIKE_DRAIN_DELAY: {
    kind: 'integer',
    default: 0,
    min: 0,
    max: 300,
    help: 'Seconds after SIGTERM in which `/health/ready` returns 503 and everything else continues, so that load balancers switch first',
  },
  TURNPIKE_PROFILE_MAX_BYTES: { ...archive, help: 'The largest saved profile, compressed' },
  TURNPIKE_SNAPSHOT_MAX_BYTES: { ...archive, help: 'The largest snapshot of a session, compressed' },
  TURNPIKE_CACHE_MAX_BYTES: {
    ...archive,
    help: 'The largest saved HTTP cache, compressed. Of a larger one what was used last is kept',
  },
  TURNPIKE_EXTENSIONS_ALLOW: {
    kind: 'list',
    absent: 'all',
    rule: 'be ids of extensions (32 letters from a to p) or SHA-256 checksums (64 hexadecimal digits), separated by commas, or none',
    valid: (text) => /^(?:none|[a-p]{32}|[0-9a-f]{64})$/.test(text),
    help: 'Extensions that sessions may load: ids, and SHA-256 checksums of uploaded files, separated by commas. `none` switches extensions off',
    page: 'extensions',
  },
  TURNPIKE_PAGE_CALLS: {
    kind: 'choice',
    choices: ['on', 'off'],
    default: 'on',
    help: '`off` refuses page calls (`/api/page`) for all accounts',
    page: 'page-calls',
  },
  TURNPIKE_RECORDINGS_URL: {
    kind: 'url',
    schemes: ['file', 's3'],
    absent: 'all-in-one: `recordings` in the data directory; otherwise none',
    help: 'Where recordings are kept: `file:/directory` or `s3://bucket/prefix`. Without it no session can be recorded',
    page: 'recordings',
  },
  TURNPIKE_RECORDING_MAX_BYTES: {
    kind: 'integer',
    default: 256 * 2 ** 20,
    min: 2 ** 20,
    max: 2 ** 50,
    help: 'The largest recording of a session',
  },
  TURNPIKE_RECORDINGS_MAX_BYTES: {
    kind: 'integer',
    default: 4 * 2 ** 30,
    min: 2 ** 20,
    max: 2 ** 50,
    help: 'All recordings of an account together',
  },
  TURNPIKE_RECORDING_DAYS: {
    kind: 'integer',
    default: 7,
    min: 1,
    max: 3650,
    help: 'Days for which a recording is kept after its session has ended',
  },
  TURNPIKE_CRAWL_SESSIONS: {
    kind: 'integer',
    default: 8,
    min: 0,
    max: 1000,
    help: 'Sessions that a gateway has open for crawls at once. 0: it works on none, and leaves them to others',
    page: 'crawling',
  },
  TURNPIKE_CRAWL_ACCOUNT_SESSIONS: {
    kind: 'integer',
    default: 8,
    min: 1,
    max: 1000,
    help: 'Sessions that all crawls of an account have at once, on all gateways',
  },
  TURNPIKE_CRAWL_MAX_BYTES: {
    kind: 'integer',
    default: 256 * 2 ** 20,
    min: 2 ** 20,
    max: 2 ** 50,
    help: 'The largest results of a crawl, as they are stored. A crawl that reaches it fails',
  },
  TURNPIKE_CRAWLS_MAX_BYTES: {
    kind: 'integer',
    default: 2 ** 30,
    min: 2 ** 20,
    max: 2 ** 50,
    help: 'The results of all crawls of an account together',
  },
  TURNPIKE_CRAWL_DAYS: {
    kind: 'integer',
    default: 7,
    min: 1,
    max: 365,
    help: 'Days for which results are kept after the end of a crawl, and the longest time that a crawl takes',
  },
  TURNPIKE_SMTP_URL: {
    kind: 'url',
    schemes: ['smtp', 'smtps'],
    absent: 'none: no e-mail',
    help: 'Server that sends e-mail, for example `smtp://user:password@host:587`: usage alerts and password resets. Needs `TURNPIKE_MAIL_FROM` and `TURNPIKE_PUBLIC_URL`',
    page: 'operating',
  },
  TURNPIKE_MAIL_FROM: {
    kind: 'text',
    rule: 'be the sender of e-mails, for example Turnpike <no-reply@example.com>',
    valid: (text) => /^(?:[^<>\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u.test(text),
    help: 'Sender of e-mails, for example `Turnpike <no-reply@example.com>`',
  },
  TURNPIKE_PROXY_PUBLIC_URL: {
    kind: 'url',
    schemes: web,
    absent: 'with `npm start`, the bound address',
    help: "The metered proxy's public URL, shown in the dashboard",
  },
  TURNPIKE_PRIVATE_PORT: { ...port, default: 8090, help: 'Port where a gateway accepts calls from hosts' },
  TURNPIKE_PRIVATE_BIND: {
    kind: 'text',
    default: '127.0.0.1',
    help: 'Address where a gateway accepts calls from hosts',
  },
});

const cluster = rows({
  TURNPIKE_CLUSTER_SECRET: {
    kind: 'text',
    secret: true,
    rule: 'have at least 32 characters; create one with `openssl rand -hex 32`',
    valid: (text) => text.length >= 32,
    help: 'Secret of at least 32 characters, the same on all gateways and hosts. `turnpike gateway` and `turnpike host` need it',
    page: 'cluster',
  },
  TURNPIKE_CLUSTER_TLS_CA: {
    kind: 'file',
    help: 'File with the certificate authority. If all three files are set, calls between gateways and hosts use TLS with certificates on both ends',
  },
  TURNPIKE_CLUSTER_TLS_CERT: { kind: 'file', help: "File with this machine's certificate" },
  TURNPIKE_CLUSTER_TLS_KEY: { kind: 'file', help: 'File with the key of that certificate' },
});

const host = rows({
  TURNPIKE_HOST_PORT: { ...port, default: 8081, help: "The browsers' public port (CDP and live view)" },
  TURNPIKE_HOST_BIND: { kind: 'text', default: '127.0.0.1', help: 'Address of that port' },
  TURNPIKE_HOST_NAME: {
    kind: 'text',
    absent: 'machine name and port',
    help: "The host's name. Keep it stable and unique",
  },
  TURNPIKE_HOST_PUBLIC_URL: {
    kind: 'url',
    schemes: ['ws', 'wss', ...web],
    absent: 'the bound address',
    help: "URL of the browsers' port for clients: `wss://…` if a TLS proxy is in front of it",
  },
  TURNPIKE_HOST_TLS_CERT: {
    kind: 'file',
    help: "File with the certificate of the browsers' port. If certificate and key are set, CDP URLs are `wss://`",
  },
  TURNPIKE_HOST_TLS_KEY: { kind: 'file', help: 'File with the key of that certificate' },
  TURNPIKE_HOST_SEATS: {
    kind: 'integer',
    absent: 'memory ÷ 512 MiB',
    min: 1,
    max: 10_000,
    help: 'Most browsers that run at once',
  },
  TURNPIKE_HOST_WARM_HEADFUL: {
    kind: 'integer',
    absent: 'an eighth of the seats, 1 to 4',
    min: 0,
    max: 10_000,
    help: 'Warm browsers with a display to keep in free seats; at most the seats. 0 starts every browser cold',
  },
  TURNPIKE_HOST_WARM_HEADLESS: {
    kind: 'integer',
    absent: 'an eighth of the seats, up to 2',
    min: 0,
    max: 10_000,
    help: 'Warm headless browsers to keep in free seats; at most the seats',
  },
  TURNPIKE_HOST_WARM_MAX_AGE_MS: {
    kind: 'integer',
    default: 30 * 60_000,
    min: 1000,
    max: 24 * 60 * 60_000,
    help: 'Age at which a warm browser is replaced, in milliseconds',
  },
  TURNPIKE_HOST_STARTS_AT_ONCE: {
    kind: 'integer',
    absent: "the machine's processors, at least 2",
    min: 1,
    max: 1000,
    help: 'Browsers that start at the same time. Others wait in a queue',
  },
  TURNPIKE_HOST_START_TIMEOUT_MS: {
    kind: 'integer',
    default: 30_000,
    min: 1000,
    max: 600_000,
    help: "Timeout for a browser's start, in milliseconds",
  },
  TURNPIKE_HOST_PROXY_TIMEOUT_MS: {
    kind: 'integer',
    default: 10_000,
    min: 100,
    max: 600_000,
    help: 'Timeout for the proxy to connect and answer, in milliseconds',
  },
  TURNPIKE_HOST_SESSION_MEMORY: {
    kind: 'integer',
    absent: "2048, at most half of the machine's",
    min: 256,
    max: 2 ** 24,
    help: "Memory limit of a session in MiB, a quarter of it for files and a quarter for shared memory; at most the machine's",
  },
  TURNPIKE_HOST_SESSION_PROCESSES: {
    kind: 'integer',
    default: 2048,
    min: 128,
    max: 100_000,
    help: 'Process limit of a session. Threads count, and a blank tab has about eleven',
  },
  TURNPIKE_HOST_SESSION_BUFFERS: {
    kind: 'integer',
    default: 256,
    min: 128,
    max: 4096,
    help: 'Memory in MiB that the host itself holds for one session: messages, viewers, files. Above it, the clients that hold the most are closed',
    page: 'limits-and-errors',
  },
  TURNPIKE_HOST_ALLOWED_ORIGINS: { ...origins, help: 'Web origins whose pages can open CDP sockets' },
  TURNPIKE_HOST_VIEWER_ANCESTORS: {
    ...origins,
    absent: "none; with `npm start`, the gateway's own",
    help: 'Web origins whose pages can frame the live view',
  },
  TURNPIKE_HOST_REGION: {
    kind: 'text',
    absent: 'none',
    rule: 'be a name such as eu-west, of lowercase letters, digits and hyphens',
    valid: (text) => regionPattern.test(text),
    help: 'Region that creates can ask for',
  },
  TURNPIKE_HOST_UID_BASE: {
    kind: 'integer',
    default: 200_000,
    min: 1000,
    max: 2 ** 31,
    help: 'First user id of the browsers, when the host runs as root',
  },
  TURNPIKE_SANDBOX: {
    kind: 'choice',
    choices: ['on', 'off'],
    default: 'on',
    help: '`off` runs browsers without a sandbox, for development on systems without namespaces. Each start warns about it',
  },
  TURNPIKE_CHROMIUM: {
    kind: 'text',
    rule: 'name a file that exists',
    valid: existsSync,
    absent: "Debian's",
    help: "The browser's program",
  },
  TURNPIKE_BLOCK_LISTS: {
    kind: 'list',
    rule: 'be a comma-separated list like ads:/etc/turnpike/easylist.txt, of files that exist',
    valid: (text) => /^(?:ads|trackers|banners):/.test(text) && existsSync(text.slice(text.indexOf(':') + 1)),
    help: 'Filter lists for `block` and for banners, as `ads:/path,trackers:/path,banners:/path`; a kind may have several files',
    page: 'saving-traffic',
  },
  TURNPIKE_PROXY_PROBE_URL: {
    kind: 'url',
    schemes: web,
    help: "URL that returns the caller's address, as text or as JSON (`ip`, optionally `country`). Each create requests it through the proxy, for at most 3 seconds. The result is in the session's metadata. Gateways use it when a saved proxy is checked",
  },
  TURNPIKE_PROXY_PIN_SECONDS: {
    kind: 'integer',
    default: 60,
    min: 1,
    max: 86_400,
    help: 'Seconds between two requests of that URL in a session with `proxy_pin_exit`',
  },
  TURNPIKE_GATEWAY_URL: {
    kind: 'list',
    rule: "be the gateways' private URL, such as http://gateway:8090, or several separated by commas",
    valid: (text) => {
      const url = URL.parse(text);
      return url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/';
    },
    help: "For `turnpike host`: the gateways' private URLs, separated by commas",
  },
  TURNPIKE_HOST_PRIVATE_PORT: {
    ...port,
    default: 8091,
    help: 'Port where `turnpike host` accepts calls from gateways',
  },
  TURNPIKE_HOST_PRIVATE_BIND: { kind: 'text', default: '127.0.0.1', help: 'Address of that port' },
  TURNPIKE_HOST_PRIVATE_URL: {
    kind: 'url',
    schemes: web,
    absent: 'the bound address',
    help: 'URL of that port for gateways',
  },
  TURNPIKE_HOST_DRAIN_SECONDS: {
    kind: 'integer',
    default: 0,
    min: 0,
    max: 86_400,
    help: 'Seconds that `turnpike host` waits after SIGTERM for its sessions to end',
  },
});

const proxy = rows({
  TURNPIKE_PROXY_PORT: { ...port, default: 8082, help: "The metered proxy's port, HTTP and SOCKS5" },
  TURNPIKE_PROXY_BIND: { kind: 'text', default: '127.0.0.1', help: 'Address of that port' },
  TURNPIKE_PROXY_TARGET_ALLOW: {
    kind: 'text',
    default: '',
    help: 'Host names and CIDRs of non-public targets that the metered proxy may reach, for example `localhost,127.0.0.0/8` to test with pages of this machine',
  },
  TURNPIKE_PROXY_ACCOUNT_CONNECTIONS: {
    kind: 'integer',
    default: 2000,
    min: 1,
    max: 1_000_000,
    help: 'Most connections to the metered proxy that one account has open at once',
  },
});

/** Read or set by others than the service, which starts with them in its environment. */
const others = rows({
  TURNPIKE_URL: { kind: 'text', help: "The gateway's URL, for the command line and the examples" },
  TURNPIKE_API_KEY: { kind: 'text', help: "The account's API key, for the same" },
  TURNPIKE_PROXY: { kind: 'text', help: 'Proxy URL of new sessions, for the same' },
  TURNPIKE_STATS_TOKEN: { kind: 'text', help: 'Token of the statistics API, for `turnpike stats`' },
  TURNPIKE_CDP_URL: { kind: 'text', help: 'CDP URL of the session, set by `turnpike open --exec`' },
  TURNPIKE_BIDI_URL: { kind: 'text', help: 'URL for WebDriver BiDi, set by the same' },
  TURNPIKE_PLAYWRIGHT_URL: { kind: 'text', help: "URL for Playwright's `connect`, set by the same" },
  TURNPIKE_WEBDRIVER_URL: { kind: 'text', help: 'URL for WebDriver, set by the same' },
  TURNPIKE_SESSION_ID: { kind: 'text', help: 'Id of the session, set by the same' },
  TURNPIKE_VNC_URL: { kind: 'text', help: 'URL of the live view, set by the same' },
  TURNPIKE_VERSION: { kind: 'text', help: 'Version of the images, for Compose' },
});

export const settings = { ...everyProcess, ...store, ...gateway, ...cluster, ...host, ...proxy, ...others };

/** The table in parts, each with who reads it. */
export const settingGroups: readonly {
  title: string;
  parts: readonly Part[];
  rows: Readonly<Record<string, Setting>>;
}[] = [
  { title: 'Every process', parts: ['up', 'gateway', 'host', 'proxy'], rows: everyProcess },
  { title: 'Store and secrets', parts: ['up', 'gateway', 'proxy'], rows: store },
  { title: 'Gateway', parts: ['up', 'gateway'], rows: gateway },
  { title: 'Cluster', parts: ['up', 'gateway', 'host'], rows: cluster },
  { title: 'Host', parts: ['up', 'host'], rows: host },
  { title: 'Metered proxy', parts: ['up', 'proxy'], rows: proxy },
  { title: 'Clients and tools', parts: [], rows: others },
];

/** Says what applies without the setting. */
export function defaultText(row: Setting): string {
  return row.absent ?? ('default' in row ? String(row.default) : '');
}

export type SettingName = keyof typeof settings;

/** The type of a setting's value. */
export type SettingValue<N extends SettingName> =
  | Value<(typeof settings)[N]>
  | ((typeof settings)[N] extends { kind: 'list' } | { default: unknown } ? never : undefined);

type Value<S> = S extends { kind: 'integer' | 'port' }
  ? number
  : S extends { choices: readonly (infer Choice)[] }
    ? Choice
    : S extends { kind: 'list' }
      ? string[]
      : S extends { kind: 'url' }
        ? URL
        : S extends { kind: 'file' }
          ? Buffer
          : string;
