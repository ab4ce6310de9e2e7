import { existsSync } from 'node:fs';
import os from 'node:os';
import { createSecureContext } from 'node:tls';
import { type Environment, SettingError, setting } from '@turnpike/process/settings';
import { createOwnAddressCheck } from '@turnpike/tunnel/addresses/address-guard';
import type { FilterListFiles } from './saving/filter-lists.ts';

export interface HostConfig {
  /** 0 lets the system choose. */
  port: number;
  bind: string;
  /** Default: the machine's name and the port. */
  name: string | undefined;
  /** `ws://` or `wss://`, without a trailing slash; default: the bound address. */
  publicUrl: string | undefined;
  tls: { cert: Buffer; key: Buffer } | undefined;
  /** Undefined if the host serves creates that name no region. */
  region: string | undefined;
  /** How many browsers run at once. */
  seats: number;
  /** How many browsers to keep warm while seats are free. */
  warm: { headful: number; headless: number };
  /** Older warm browsers are replaced. */
  warmMaxAgeMs: number;
  /** How many browsers start at the same time. Others wait. */
  startsAtOnce: number;
  /** The browser itself, not a distribution's wrapper script. */
  chromium: string;
  /** The first user id for browsers, when the host runs as root. Each browser has its own. */
  uidBase: number;
  /** `off` runs browsers without a sandbox, for development on systems without namespaces. */
  sandbox: 'on' | 'off';
  /** Limits of one session. Its files count as memory, and threads as processes. */
  sessionMemoryBytes: number;
  sessionProcesses: number;
  /** How much the host may buffer for one session: messages, viewers and files. */
  sessionBufferBytes: number;
  /** Web origins whose pages may open the relay's WebSockets. */
  allowedOrigins: readonly string[];
  /** Web origins whose pages may frame the live view. */
  viewerAncestors: readonly string[];
  startTimeoutMs: number;
  proxyTimeoutMs: number;
  /** Whether a proxy's address is this machine itself, and not one that the operator allows. */
  isOwnAddress(name: string, address: string): boolean;
  /** Asked through the proxy for the proxy's exit address. */
  probeUrl: URL | undefined;
  /** How often it is asked in a session with `proxy_pin_exit`. */
  pinIntervalMs: number;
  /** Files with the rules for what `block` refuses. */
  blockLists: FilterListFiles;
}

const chromiumPaths = [
  '/usr/lib/chromium/chromium',
  '/usr/lib/chromium-browser/chromium-browser',
  '/opt/google/chrome/chrome',
];

const mebibyte = 2 ** 20;

/** The memory of a busy page in its own browser, with a display. */
export const memoryPerSeatMiB = 512;

export function readHostConfig(env: Environment): HostConfig {
  const seats =
    setting(env, 'TURNPIKE_HOST_SEATS') ??
    Math.max(2, Math.floor(os.totalmem() / mebibyte / memoryPerSeatMiB));
  return {
    port: setting(env, 'TURNPIKE_HOST_PORT'),
    bind: setting(env, 'TURNPIKE_HOST_BIND'),
    name: setting(env, 'TURNPIKE_HOST_NAME'),
    publicUrl: publicUrlSetting(env),
    tls: tlsSetting(env),
    region: setting(env, 'TURNPIKE_HOST_REGION'),
    seats,
    warm: warmSetting(env, seats),
    warmMaxAgeMs: setting(env, 'TURNPIKE_HOST_WARM_MAX_AGE_MS'),
    startsAtOnce: setting(env, 'TURNPIKE_HOST_STARTS_AT_ONCE') ?? Math.max(2, os.availableParallelism()),
    chromium: chromiumSetting(env),
    uidBase: setting(env, 'TURNPIKE_HOST_UID_BASE'),
    sandbox: setting(env, 'TURNPIKE_SANDBOX'),
    sessionMemoryBytes: sessionMemorySetting(env),
    sessionProcesses: setting(env, 'TURNPIKE_HOST_SESSION_PROCESSES'),
    sessionBufferBytes: mebibyte * setting(env, 'TURNPIKE_HOST_SESSION_BUFFERS'),
    allowedOrigins: originsSetting(env, 'TURNPIKE_HOST_ALLOWED_ORIGINS'),
    viewerAncestors: originsSetting(env, 'TURNPIKE_HOST_VIEWER_ANCESTORS'),
    startTimeoutMs: setting(env, 'TURNPIKE_HOST_START_TIMEOUT_MS'),
    proxyTimeoutMs: setting(env, 'TURNPIKE_HOST_PROXY_TIMEOUT_MS'),
    isOwnAddress: createOwnAddressCheck(setting(env, 'TURNPIKE_PROXY_ALLOW'), 'TURNPIKE_PROXY_ALLOW'),
    probeUrl: setting(env, 'TURNPIKE_PROXY_PROBE_URL'),
    pinIntervalMs: 1000 * setting(env, 'TURNPIKE_PROXY_PIN_SECONDS'),
    blockLists: blockListsSetting(env),
  };
}

/** By default an eighth of the seats, up to a small burst of creates. */
function warmSetting(env: Environment, seats: number): HostConfig['warm'] {
  const eighth = Math.floor(seats / 8);
  const max = seats;
  return {
    headful: setting(env, 'TURNPIKE_HOST_WARM_HEADFUL', { max }) ?? Math.min(4, Math.max(1, eighth)),
    headless: setting(env, 'TURNPIKE_HOST_WARM_HEADLESS', { max }) ?? Math.min(2, eighth),
  };
}

/** By default at most half of the machine's memory: the host and the system need some too. */
function sessionMemorySetting(env: Environment): number {
  const machineMiB = Math.floor(os.totalmem() / mebibyte);
  const asked = setting(env, 'TURNPIKE_HOST_SESSION_MEMORY', { max: machineMiB });
  return mebibyte * (asked ?? Math.min(2048, Math.floor(machineMiB / 2)));
}

function publicUrlSetting(env: Environment): string | undefined {
  const url = setting(env, 'TURNPIKE_HOST_PUBLIC_URL');
  return url?.href.replace(/^http/, 'ws').replace(/(?<!\/)\/+$/, '');
}

function tlsSetting(env: Environment): HostConfig['tls'] {
  const cert = setting(env, 'TURNPIKE_HOST_TLS_CERT');
  const key = setting(env, 'TURNPIKE_HOST_TLS_KEY');
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined)
    throw new SettingError('TURNPIKE_HOST_TLS_CERT', 'must be set with TURNPIKE_HOST_TLS_KEY');
  if (key === undefined)
    throw new SettingError('TURNPIKE_HOST_TLS_KEY', 'must be set with TURNPIKE_HOST_TLS_CERT');
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw new SettingError(
      'TURNPIKE_HOST_TLS_CERT',
      `and its key are not usable: ${(cause as Error).message}`,
    );
  }
  return { cert, key };
}

function chromiumSetting(env: Environment): string {
  const path = setting(env, 'TURNPIKE_CHROMIUM');
  if (path !== undefined) return path;
  const found = chromiumPaths.find((candidate) => existsSync(candidate));
  if (found === undefined) {
    throw new SettingError(
      'TURNPIKE_CHROMIUM',
      `is not set, and no Chromium was found at ${chromiumPaths.join(', ')}`,
    );
  }
  return found;
}

/** `ads:/path,trackers:/path`; a kind may have several files. */
function blockListsSetting(env: Environment): FilterListFiles {
  const files: Record<string, string[]> = {};
  for (const text of setting(env, 'TURNPIKE_BLOCK_LISTS')) {
    const [kind = '', path = ''] = text.split(/:(.*)/s);
    files[kind] = [...(files[kind] ?? []), path];
  }
  return files;
}

function originsSetting(
  env: Environment,
  name: 'TURNPIKE_HOST_ALLOWED_ORIGINS' | 'TURNPIKE_HOST_VIEWER_ANCESTORS',
): string[] {
  return setting(env, name).map((text) => new URL(text).origin);
}
