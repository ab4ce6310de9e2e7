import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { maxArchiveBytes } from '@turnpike/contract/host';
import { type ClusterSettings, clusterSettings } from '@turnpike/process/cluster/cluster-settings';
import { makeDirectory } from '@turnpike/process/make-directory';
import { type ProductMap, readProductMap } from '@turnpike/process/product-map';
import {
  type Environment,
  integerSetting,
  portSetting,
  SettingError,
  textSetting,
  urlSetting,
} from '@turnpike/process/settings';
import { urlHost } from '@turnpike/process/url-host';
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
  /** How large a saved profile may be, compressed. */
  profileMaxBytes: number;
  /** How large a saved HTTP cache may be, compressed. */
  cacheMaxBytes: number;
  /** Undefined: nothing is recorded. */
  recordings?: RecordingConfig | undefined;
  /** How long a gateway that is stopping says so to load balancers and goes on serving. */
  drainDelayMs: number;
  /** Proxy hosts and CIDRs that are allowed although they are not public, see the address guard. */
  proxyAllow: string;
  /** Webhook hosts and CIDRs, with ports, that are allowed although they are not public. */
  webhookAllow: string;
  /** Which proxies' sessions count for a product, see the product map. */
  products: ProductMap;
  /** Seals secrets that must be shown again. */
  secretKey: Buffer;
  /** Keys that secrets were sealed under before. */
  oldSecretKeys?: readonly Buffer[];
  /** The gateway's URL for people, for links. Without it, links have the URL that the request used. */
  publicUrl?: string | undefined;
  /** Undefined: the service sends no e-mail. */
  mail?: MailConfig | undefined;
  /** The metered proxy's URL for customers, which the dashboard shows. */
  proxyUrl?: string | undefined;
  /** Addresses of reverse proxies whose `X-Forwarded-For` is trusted. */
  trustProxy?: string | false;
  /** The dashboard's built pages. */
  dashboardDirectory?: string | undefined;
  /** Whether this is the store's only gateway: the store is then a SQLite file that this process has locked. */
  isAlone?: boolean;
  /** Undefined: only the hosts of this process are used. */
  cluster?: (ClusterSettings & PrivateListener) | undefined;
}

/** Where recordings are kept, how large they may grow, and for how long they are kept. */
export interface RecordingConfig extends RecordingLimits {
  /** Undefined: nowhere, so a create cannot ask for one. */
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
      bind: textSetting(env, 'TURNPIKE_PRIVATE_BIND') ?? '127.0.0.1',
      port: portSetting(env, 'TURNPIKE_PRIVATE_PORT', 8090),
    }
  );
}

/** Size limits of saved profiles and caches. */
const archiveBytes = { fallback: 16 * 2 ** 20, min: 1024, max: maxArchiveBytes };

/**
 * Reads the gateway's settings. `recordingsDirectory` is where recordings are kept unless a setting says so. Nothing else in
 * the gateway reads the environment.
 */
export function readGatewayConfig(env: Environment, recordingsDirectory?: string): GatewayConfig {
  const seconds = integerSetting(env, 'TURNPIKE_CREATE_TIMEOUT', { fallback: 30, min: 1, max: 120 });
  const productsFile = textSetting(env, 'TURNPIKE_PRODUCTS_FILE');
  return {
    bind: textSetting(env, 'TURNPIKE_BIND') ?? '127.0.0.1',
    port: portSetting(env, 'TURNPIKE_PORT', 8080),
    store: storeLocation(env),
    createTimeoutMs: seconds * 1000,
    profileMaxBytes: integerSetting(env, 'TURNPIKE_PROFILE_MAX_BYTES', archiveBytes),
    cacheMaxBytes: integerSetting(env, 'TURNPIKE_CACHE_MAX_BYTES', archiveBytes),
    recordings: recordingConfig(env, recordingsDirectory),
    drainDelayMs: 1000 * integerSetting(env, 'TURNPIKE_DRAIN_DELAY', { fallback: 0, min: 0, max: 300 }),
    proxyAllow: textSetting(env, 'TURNPIKE_PROXY_ALLOW') ?? '',
    webhookAllow: textSetting(env, 'TURNPIKE_WEBHOOK_ALLOW') ?? '',
    products: productsFile ? readProductMap(productsFile) : {},
    secretKey: secretKey(env),
    oldSecretKeys: oldSecretKeys(env),
    publicUrl: publicUrl(env),
    mail: mailConfig(env),
    proxyUrl: urlSetting(env, 'TURNPIKE_PROXY_PUBLIC_URL', ['http', 'https'])?.origin,
    trustProxy: trustedProxies(env),
    dashboardDirectory: join(import.meta.dirname, '../../dashboard/dist'),
    cluster: clusterSetting(env),
  };
}

const dayMs = 86_400_000;

function recordingConfig(env: Environment, directory: string | undefined): RecordingConfig {
  const bytes = (name: string, fallback: number) =>
    integerSetting(env, name, { fallback, min: 2 ** 20, max: 2 ** 50 });
  return {
    location: recordingLocation(env, directory),
    sessionMaxBytes: bytes('TURNPIKE_RECORDING_MAX_BYTES', 256 * 2 ** 20),
    accountMaxBytes: bytes('TURNPIKE_RECORDINGS_MAX_BYTES', 4 * 2 ** 30),
    keepMs: dayMs * integerSetting(env, 'TURNPIKE_RECORDING_DAYS', { fallback: 7, min: 1, max: 3650 }),
  };
}

/**
 * Returns where recordings are kept: in `directory` unless a setting says so. The S3 client finds credentials where
 * Amazon's tools do. Another server is named by Amazon's own setting.
 */
export function recordingLocation(
  env: Environment,
  directory: string | undefined,
): RecordingLocation | undefined {
  const name = 'TURNPIKE_RECORDINGS_URL';
  const url = urlSetting(env, name, ['file', 's3']);
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

const publicUrl = (env: Environment): string | undefined =>
  urlSetting(env, 'TURNPIKE_PUBLIC_URL', ['http', 'https'])?.origin;

/** Reads how e-mails are sent; undefined: no SMTP server is set. */
export function mailSettings(env: Environment): MailSettings | undefined {
  const url = urlSetting(env, 'TURNPIKE_SMTP_URL', ['smtp', 'smtps']);
  if (!url) return undefined;
  const from = textSetting(env, 'TURNPIKE_MAIL_FROM');
  if (from === undefined || !/^(?:[^<>\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u.test(from))
    throw new SettingError(
      'TURNPIKE_MAIL_FROM',
      'must be the sender of e-mails, for example Turnpike <no-reply@example.com>',
    );
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

function trustedProxies(env: Environment): string | false {
  const text = textSetting(env, 'TURNPIKE_TRUST_PROXY');
  if (text === undefined) return false;
  const wrong = text.split(',').find((part) => isIP(part.trim().replace(/\/\d{1,3}$/, '')) === 0);
  if (wrong !== undefined)
    throw new SettingError(
      'TURNPIKE_TRUST_PROXY',
      `must be a list of addresses or CIDRs; "${wrong}" is neither`,
    );
  return text;
}

/** Returns where the store is: PostgreSQL if DATABASE_URL is set, otherwise a SQLite file in the data directory. */
export function storeLocation(env: Environment): StoreLocation {
  const url = urlSetting(env, 'DATABASE_URL', ['postgres', 'postgresql']);
  if (url) return { engine: 'postgres', url: url.href };
  return { engine: 'sqlite', file: join(dataDirectory(env), 'turnpike.sqlite') };
}

export function dataDirectory(env: Environment): string {
  return resolve(textSetting(env, 'TURNPIKE_DATA_DIR') ?? 'data');
}

const keyPattern = /^[0-9a-f]{64}$/;

/** Returns the key that secrets are sealed under. Without a setting it is created once, in the data directory. */
export function secretKey(env: Environment): Buffer {
  const text = textSetting(env, 'TURNPIKE_SECRET_KEY') ?? keyFromFile(keyFile(env));
  if (!keyPattern.test(text)) throw new SettingError('TURNPIKE_SECRET_KEY', 'must be 64 hexadecimal digits');
  return Buffer.from(text, 'hex');
}

/** Returns keys that were replaced: what was sealed under them still opens. */
function oldSecretKeys(env: Environment): Buffer[] {
  const texts = (textSetting(env, 'TURNPIKE_SECRET_KEYS_OLD') ?? '').split(',').map((text) => text.trim());
  return texts
    .filter((text) => text !== '')
    .map((text) => {
      if (keyPattern.test(text)) return Buffer.from(text, 'hex');
      throw new SettingError(
        'TURNPIKE_SECRET_KEYS_OLD',
        'must be keys of 64 hexadecimal digits each, separated by commas',
      );
    });
}

export const sealerFrom = (env: Environment): Sealer => new Sealer(secretKey(env), oldSecretKeys(env));

/** Returns the sealer if there is a key already. */
export function knownSealer(env: Environment): Sealer | undefined {
  const isKnown = textSetting(env, 'TURNPIKE_SECRET_KEY') !== undefined || existsSync(keyFile(env));
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
