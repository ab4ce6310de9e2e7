import { existsSync } from 'node:fs';
import os from 'node:os';
import { createSecureContext } from 'node:tls';
import { regionPattern } from '@turnpike/contract/ids';
import {
  choiceSetting,
  type Environment,
  fileSetting,
  integerSetting,
  portSetting,
  SettingError,
  textSetting,
  urlSetting,
} from '@turnpike/process/settings';
import { defaultBufferBytes, minBufferBytes } from './memory/byte-budget.ts';
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
  /** Undefined: the host serves creates that name no region. */
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
  /** Asked through the proxy for the proxy's exit address. */
  probeUrl: URL | undefined;
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
  const seats = integerSetting(env, 'TURNPIKE_HOST_SEATS', {
    fallback: Math.max(2, Math.floor(os.totalmem() / mebibyte / memoryPerSeatMiB)),
    min: 1,
    max: 10_000,
  });
  return {
    port: portSetting(env, 'TURNPIKE_HOST_PORT', 8081),
    bind: textSetting(env, 'TURNPIKE_HOST_BIND') ?? '127.0.0.1',
    name: textSetting(env, 'TURNPIKE_HOST_NAME'),
    publicUrl: publicUrlSetting(env),
    tls: tlsSetting(env),
    region: regionSetting(env),
    seats,
    warm: warmSetting(env, seats),
    warmMaxAgeMs: integerSetting(env, 'TURNPIKE_HOST_WARM_MAX_AGE_MS', {
      fallback: 30 * 60_000,
      min: 1000,
      max: 24 * 60 * 60_000,
    }),
    startsAtOnce: integerSetting(env, 'TURNPIKE_HOST_STARTS_AT_ONCE', {
      fallback: Math.max(2, os.availableParallelism()),
      min: 1,
      max: 1000,
    }),
    chromium: chromiumSetting(env),
    uidBase: integerSetting(env, 'TURNPIKE_HOST_UID_BASE', { fallback: 200_000, min: 1000, max: 2 ** 31 }),
    sandbox: choiceSetting(env, 'TURNPIKE_SANDBOX', ['on', 'off'], 'on'),
    sessionMemoryBytes: sessionMemorySetting(env),
    sessionProcesses: integerSetting(env, 'TURNPIKE_HOST_SESSION_PROCESSES', {
      fallback: 2048,
      min: 128,
      max: 100_000,
    }),
    sessionBufferBytes:
      mebibyte *
      integerSetting(env, 'TURNPIKE_HOST_SESSION_BUFFERS', {
        fallback: defaultBufferBytes / mebibyte,
        min: minBufferBytes / mebibyte,
        max: 4096,
      }),
    allowedOrigins: originsSetting(env, 'TURNPIKE_HOST_ALLOWED_ORIGINS'),
    viewerAncestors: originsSetting(env, 'TURNPIKE_HOST_VIEWER_ANCESTORS'),
    startTimeoutMs: integerSetting(env, 'TURNPIKE_HOST_START_TIMEOUT_MS', {
      fallback: 30_000,
      min: 1000,
      max: 600_000,
    }),
    proxyTimeoutMs: integerSetting(env, 'TURNPIKE_HOST_PROXY_TIMEOUT_MS', {
      fallback: 10_000,
      min: 100,
      max: 600_000,
    }),
    probeUrl: urlSetting(env, 'TURNPIKE_PROXY_PROBE_URL', ['http', 'https']),
    blockLists: blockListsSetting(env),
  };
}

/** By default an eighth of the seats, up to a small burst of creates. */
function warmSetting(env: Environment, seats: number): HostConfig['warm'] {
  const eighth = Math.floor(seats / 8);
  const headful = { fallback: Math.min(4, Math.max(1, eighth)), min: 0, max: seats };
  const headless = { fallback: Math.min(2, eighth), min: 0, max: seats };
  return {
    headful: integerSetting(env, 'TURNPIKE_HOST_WARM_HEADFUL', headful),
    headless: integerSetting(env, 'TURNPIKE_HOST_WARM_HEADLESS', headless),
  };
}

/** By default at most half of the machine's memory: the host and the system need some too. */
function sessionMemorySetting(env: Environment): number {
  const machineMiB = Math.floor(os.totalmem() / mebibyte);
  const fallback = Math.min(2048, Math.floor(machineMiB / 2));
  return (
    mebibyte * integerSetting(env, 'TURNPIKE_HOST_SESSION_MEMORY', { fallback, min: 256, max: machineMiB })
  );
}

function publicUrlSetting(env: Environment): string | undefined {
  const url = urlSetting(env, 'TURNPIKE_HOST_PUBLIC_URL', ['ws', 'wss', 'http', 'https']);
  return url?.href.replace(/^http/, 'ws').replace(/(?<!\/)\/+$/, '');
}

function regionSetting(env: Environment): string | undefined {
  const region = textSetting(env, 'TURNPIKE_HOST_REGION');
  if (region !== undefined && !regionPattern.test(region)) {
    throw new SettingError(
      'TURNPIKE_HOST_REGION',
      `must be a name such as eu-west, of lowercase letters, digits and hyphens, but is ${JSON.stringify(region)}`,
    );
  }
  return region;
}

function tlsSetting(env: Environment): HostConfig['tls'] {
  const cert = fileSetting(env, 'TURNPIKE_HOST_TLS_CERT');
  const key = fileSetting(env, 'TURNPIKE_HOST_TLS_KEY');
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
  const path = textSetting(env, 'TURNPIKE_CHROMIUM');
  if (path !== undefined) {
    if (!existsSync(path))
      throw new SettingError('TURNPIKE_CHROMIUM', `names a file that does not exist: ${path}`);
    return path;
  }
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
  const name = 'TURNPIKE_BLOCK_LISTS';
  const files: { ads?: string[]; trackers?: string[] } = {};
  for (const text of itemsOf(env, name)) {
    const [, kind, path = ''] = /^(ads|trackers):(.+)$/.exec(text) ?? [];
    if (kind !== 'ads' && kind !== 'trackers') {
      throw new SettingError(
        name,
        `must be a comma-separated list like ads:/etc/turnpike/easylist.txt, but has ${JSON.stringify(text)}`,
      );
    }
    if (!existsSync(path)) throw new SettingError(name, `names a file that does not exist: ${path}`);
    files[kind] = [...(files[kind] ?? []), path];
  }
  return files;
}

function itemsOf(env: Environment, name: string): string[] {
  const texts = (textSetting(env, name) ?? '').split(',');
  return texts.map((text) => text.trim()).filter((text) => text !== '');
}

function originsSetting(env: Environment, name: string): string[] {
  return itemsOf(env, name).map((text) => {
    const origin = URL.parse(text)?.origin;
    if (origin === undefined || origin === 'null') {
      throw new SettingError(
        name,
        `must be a comma-separated list of origins like https://example.com, but has ${JSON.stringify(text)}`,
      );
    }
    return origin;
  });
}
