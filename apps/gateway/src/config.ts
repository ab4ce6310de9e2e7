import { join, resolve } from 'node:path';
import { type LogLevel, logLevels } from '@turnpike/process/logger';
import {
  choiceSetting,
  type Environment,
  integerSetting,
  portSetting,
  textSetting,
  urlSetting,
} from '@turnpike/process/settings';
import type { StoreLocation } from './store/database.ts';

export interface GatewayConfig {
  bind: string;
  port: number;
  store: StoreLocation;
  createTimeoutMs: number;
  /** Proxy hosts and CIDRs that are allowed although they are not public; see the address guard. */
  proxyAllow: string;
  logLevel: LogLevel;
}

/** The gateway's only reader of the environment. */
export function readGatewayConfig(env: Environment): GatewayConfig {
  const seconds = integerSetting(env, 'TURNPIKE_CREATE_TIMEOUT', { fallback: 30, min: 1, max: 120 });
  return {
    bind: textSetting(env, 'TURNPIKE_BIND') ?? '127.0.0.1',
    port: portSetting(env, 'TURNPIKE_PORT', 8080),
    store: storeLocation(env),
    createTimeoutMs: seconds * 1000,
    proxyAllow: textSetting(env, 'TURNPIKE_PROXY_ALLOW') ?? '',
    logLevel: choiceSetting(env, 'TURNPIKE_LOG_LEVEL', logLevels, 'info'),
  };
}

/** PostgreSQL where DATABASE_URL names one, otherwise a SQLite file in the data directory. */
export function storeLocation(env: Environment): StoreLocation {
  const url = urlSetting(env, 'DATABASE_URL', ['postgres', 'postgresql']);
  if (url) return { engine: 'postgres', url: url.href };
  return { engine: 'sqlite', file: join(dataDirectory(env), 'turnpike.sqlite') };
}

export function dataDirectory(env: Environment): string {
  return resolve(textSetting(env, 'TURNPIKE_DATA_DIR') ?? 'data');
}
