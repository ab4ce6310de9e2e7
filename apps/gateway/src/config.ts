import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClusterSettings, clusterSettings } from '@turnpike/cluster/cluster-settings';
import { makeDirectory } from '@turnpike/process/make-directory';
import { type Environment, SettingError, setting, textSetting } from '@turnpike/process/settings';
import { type ProductMap, readProductMap } from '@turnpike/tunnel/addresses/product-map';
import { urlHost } from '@turnpike/tunnel/addresses/url-host';
import type { CrawlLimits } from './crawl/crawl-context.ts';
import type { MailSettings } from './mail/mailer.ts';
import type { RecordingLimits } from './recordings/recording-context.ts';
import type { RecordingLocation } from './recordings/storage/recording-storage.ts';
import { Sealer } from './secrets/sealer.ts';
import type { StoreLocation } from './store/database.ts';

export interface GatewayConfig {
  bind: string;
  port: number;
  store: StoreLocation;
  createTimeoutMs: number;
  /** What a second asleep costs, in thousandths of one awake. Undefined means all of it. */
  standbyPermille?: number | undefined;
  /** How large a saved profile may be, compressed. */
  profileMaxBytes: number;
  /** How large a saved HTTP cache may be, compressed. */
  cacheMaxBytes: number;
  /** The largest snapshot of a session, compressed. */
  snapshotMaxBytes: number;
  /** Extensions that sessions may load: ids and checksums. Undefined means all, and an empty list none. */
  allowedExtensions?: readonly string[] | undefined;
  /** Whether accounts may make page calls. */
  pageCalls: boolean;
  /** Undefined if nothing is recorded. */
  recordings?: RecordingConfig | undefined;
  /** Undefined means the defaults. */
  crawls?: CrawlLimits | undefined;
  /** How long a gateway that is stopping says so to load balancers and goes on serving. */
  drainDelayMs: number;
  /** Proxy hosts and CIDRs that are allowed although they are not public, see the address guard. */
  proxyAllow: string;
  /** Webhook hosts and CIDRs, with ports, that are allowed although they are not public. */
  webhookAllow: string;
  /** Tells where a proxy comes out, when one is checked. */
  probeUrl?: URL | undefined;
  /** Which proxies' sessions count for a product, see the product map. */
  products: ProductMap;
  /** Seals secrets that must be shown again. */
  secretKey: Buffer;
  /** Keys that secrets were sealed under before. */
  oldSecretKeys?: readonly Buffer[];
  /** The gateway's URL for people, for links. Without it, links have the URL that the request used. */
  publicUrl?: string | undefined;
  /** Undefined if the service sends no e-mail. */
  mail?: MailConfig | undefined;
  /** The metered proxy's URL for customers, which the dashboard shows. */
  proxyUrl?: string | undefined;
  /** Addresses of reverse proxies whose `X-Forwarded-For` is trusted. */
  trustProxy?: string | false;
  /** The dashboard's built pages. */
  dashboardDirectory?: string | undefined;
  /** Whether this is the store's only gateway: the store is then a SQLite file that this process has locked. */
  isAlone?: boolean;
  /** Undefined if only the hosts of this process are used. */
  cluster?: (ClusterSettings & PrivateListener) | undefined;
}

/** Where recordings are kept, how large they may grow, and for how long they are kept. */
export interface RecordingConfig extends RecordingLimits {
  /** Undefined means nowhere, so a create cannot ask for one. */
  location: RecordingLocation | undefined;
}

/** How e-mails are sent, and the URL that their links begin with. */
export interface MailConfig extends MailSettings {
  publicUrl: string;
}

/** The listener that hosts on other machines call. */
export interface PrivateListener {
  bind: string;
  port: number;
}

function clusterSetting(env: Environment): GatewayConfig['cluster'] {
  const settings = clusterSettings(env);
  return (
    settings && {
      ...settings,
      bind: setting(env, 'TURNPIKE_PRIVATE_BIND'),
      port: setting(env, 'TURNPIKE_PRIVATE_PORT'),
    }
  );
}

/**
 * Reads the gateway's settings. `recordingsDirectory` is where recordings are kept unless a setting says so. Nothing else in
 * the gateway reads the environment.
 */
export function readGatewayConfig(env: Environment, recordingsDirectory?: string): GatewayConfig {
  const productsFile = setting(env, 'TURNPIKE_PRODUCTS_FILE');
  const trusted = setting(env, 'TURNPIKE_TRUST_PROXY');
  return {
    bind: setting(env, 'TURNPIKE_BIND'),
    port: setting(env, 'TURNPIKE_PORT'),
    store: storeLocation(env),
    standbyPermille: Math.round(1000 * Number(setting(env, 'TURNPIKE_STANDBY_FACTOR'))),
    createTimeoutMs: 1000 * setting(env, 'TURNPIKE_CREATE_TIMEOUT'),
    profileMaxBytes: setting(env, 'TURNPIKE_PROFILE_MAX_BYTES'),
    snapshotMaxBytes: setting(env, 'TURNPIKE_SNAPSHOT_MAX_BYTES'),
    cacheMaxBytes: setting(env, 'TURNPIKE_CACHE_MAX_BYTES'),
    allowedExtensions: allowedExtensions(env),
    pageCalls: setting(env, 'TURNPIKE_PAGE_CALLS') === 'on',
    recordings: recordingConfig(env, recordingsDirectory),
    crawls: crawlLimits(env),
    drainDelayMs: 1000 * setting(env, 'TURNPIKE_DRAIN_DELAY'),
    proxyAllow: setting(env, 'TURNPIKE_PROXY_ALLOW'),
    webhookAllow: setting(env, 'TURNPIKE_WEBHOOK_ALLOW'),
    probeUrl: setting(env, 'TURNPIKE_PROXY_PROBE_URL'),
    products: productsFile ? readProductMap(productsFile) : {},
    secretKey: secretKey(env),
    oldSecretKeys: oldSecretKeys(env),
    publicUrl: publicUrl(env),
    mail: mailConfig(env),
    proxyUrl: setting(env, 'TURNPIKE_PROXY_PUBLIC_URL')?.origin,
    trustProxy: trusted.length > 0 && trusted.join(','),
    dashboardDirectory: join(import.meta.dirname, '../../dashboard/dist'),
    cluster: clusterSetting(env),
  };
}

function allowedExtensions(env: Environment): GatewayConfig['allowedExtensions'] {
  const list = setting(env, 'TURNPIKE_EXTENSIONS_ALLOW');
  return list.length === 0 ? undefined : list.filter((item) => item !== 'none');
}

const dayMs = 86_400_000;

function recordingConfig(env: Environment, directory: string | undefined): RecordingConfig {
  return {
    location: recordingLocation(env, directory),
    sessionMaxBytes: setting(env, 'TURNPIKE_RECORDING_MAX_BYTES'),
    accountMaxBytes: setting(env, 'TURNPIKE_RECORDINGS_MAX_BYTES'),
    keepMs: dayMs * setting(env, 'TURNPIKE_RECORDING_DAYS'),
  };
}

const crawlLimits = (env: Environment): CrawlLimits => ({
  sessions: setting(env, 'TURNPIKE_CRAWL_SESSIONS'),
  accountSessions: setting(env, 'TURNPIKE_CRAWL_ACCOUNT_SESSIONS'),
  crawlMaxBytes: setting(env, 'TURNPIKE_CRAWL_MAX_BYTES'),
  accountMaxBytes: setting(env, 'TURNPIKE_CRAWLS_MAX_BYTES'),
  keepMs: dayMs * setting(env, 'TURNPIKE_CRAWL_DAYS'),
});

/**
 * Returns where recordings are kept: in `directory` unless a setting says so. The S3 client finds credentials where
 * Amazon's tools do. Another server is named by Amazon's own setting.
 */
export function recordingLocation(
  env: Environment,
  directory: string | undefined,
): RecordingLocation | undefined {
  const name = 'TURNPIKE_RECORDINGS_URL';
  const url = setting(env, name);
  if (!url) return directory === undefined ? undefined : { kind: 'file', directory };
  if (url.protocol === 'file:') {
    if (url.host !== '' || url.pathname === '/')
      throw new SettingError(
        name,
        'must name a directory by its whole path, for example file:/var/lib/turnpike',
      );
    return { kind: 'file', directory: fileURLToPath(url) };
  }
  if (url.host === '') throw new SettingError(name, 'must name a bucket, for example s3://bucket/prefix');
  const prefix = url.pathname.replace(/^\/+|(?<!\/)\/+$/g, '');
  const endpoint = textSetting(env, 'AWS_ENDPOINT_URL_S3') ?? textSetting(env, 'AWS_ENDPOINT_URL');
  const region = textSetting(env, 'AWS_REGION') ?? (endpoint === undefined ? undefined : 'us-east-1');
  return { kind: 's3', bucket: url.host, prefix: prefix === '' ? '' : `${prefix}/`, endpoint, region };
}

const publicUrl = (env: Environment): string | undefined => setting(env, 'TURNPIKE_PUBLIC_URL')?.origin;

/** Reads how e-mails are sent; undefined if no SMTP server is set. */
export function mailSettings(env: Environment): MailSettings | undefined {
  const url = setting(env, 'TURNPIKE_SMTP_URL');
  if (!url) return undefined;
  const from = setting(env, 'TURNPIKE_MAIL_FROM');
  if (from === undefined)
    throw new SettingError('TURNPIKE_MAIL_FROM', 'is required with TURNPIKE_SMTP_URL: it is the sender');
  const secure = url.protocol === 'smtps:';
  const { user, pass } = credentialsOf(url);
  if (url.hostname === '') throw new SettingError('TURNPIKE_SMTP_URL', 'must name a host');
  return {
    host: urlHost(url),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    ...(user !== '' && { auth: { user, pass } }),
    from,
  };
}

function credentialsOf({ username, password }: URL): { user: string; pass: string } {
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  } catch {
    throw new SettingError(
      'TURNPIKE_SMTP_URL',
      'has a user name or password with a % that is not encoded; write it as %25',
    );
  }
}

/** Links in e-mails never follow the request's Host header, which anybody can choose. */
function mailConfig(env: Environment): MailConfig | undefined {
  const settings = mailSettings(env);
  const url = publicUrl(env);
  if (settings && url === undefined)
    throw new SettingError('TURNPIKE_PUBLIC_URL', 'is required with TURNPIKE_SMTP_URL: e-mails have links');
  return settings && url !== undefined ? { ...settings, publicUrl: url } : undefined;
}

/** Returns the dashboard's URL, as far as the settings tell. */
export function dashboardUrl(env: Environment): string {
  const { publicUrl, bind, port } = readGatewayConfig(env);
  return publicUrl ?? `http://${bind.includes(':') ? `[${bind}]` : bind}:${port}`;
}

/** Returns where the store is: PostgreSQL if DATABASE_URL is set, otherwise a SQLite file in the data directory. */
export function storeLocation(env: Environment): StoreLocation {
  const url = setting(env, 'DATABASE_URL');
  if (url) return { engine: 'postgres', url: url.href };
  return { engine: 'sqlite', file: join(dataDirectory(env), 'turnpike.sqlite') };
}

export function dataDirectory(env: Environment): string {
  return resolve(setting(env, 'TURNPIKE_DATA_DIR'));
}

/** Returns the key that secrets are sealed under. Without a setting it is created once, in the data directory. */
export function secretKey(env: Environment): Buffer {
  const TURNPIKE_SECRET_KEY = setting(env, 'TURNPIKE_SECRET_KEY') ?? keyFromFile(keyFile(env));
  return Buffer.from(setting({ TURNPIKE_SECRET_KEY }, 'TURNPIKE_SECRET_KEY') ?? '', 'hex');
}

/** Returns keys that were replaced: what was sealed under them still opens. */
const oldSecretKeys = (env: Environment): Buffer[] =>
  setting(env, 'TURNPIKE_SECRET_KEYS_OLD').map((text) => Buffer.from(text, 'hex'));

export const sealerFrom = (env: Environment): Sealer => new Sealer(secretKey(env), oldSecretKeys(env));

/** Returns the sealer if there is a key already. */
export function knownSealer(env: Environment): Sealer | undefined {
  const isKnown = setting(env, 'TURNPIKE_SECRET_KEY') !== undefined || existsSync(keyFile(env));
  return isKnown ? sealerFrom(env) : undefined;
}

const keyFile = (env: Environment): string => join(dataDirectory(env), 'secret.key');

function keyFromFile(file: string): string {
  try {
    makeDirectory(dirname(file));
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // The directory, or a part of its path, may be a file.
    if (code !== 'EEXIST' || !existsSync(file))
      throw new SettingError('TURNPIKE_DATA_DIR', `must be a directory that can be written to: ${message}`);
    chmodSync(file, 0o600);
  }
  return readFileSync(file, 'utf8').trim();
}
