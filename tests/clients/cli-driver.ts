import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { plainEnvironment } from '../fixtures/process/plain-environment.ts';
import type { ClientDriver } from './run-scenario.ts';
import type { Call, Outcome } from './scenarios.ts';

export const command = join(import.meta.dirname, '../../apps/cli/src/main.ts');

export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `turnpike …` with nothing in its environment but this. */
export function turnpike(
  env: Record<string, string>,
  args: readonly string[],
  input = '',
): Promise<Finished> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [command, ...args],
      { env: { ...plainEnvironment(), ...env } },
      (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

/** What scripts may rely on. */
export const exitCodes: Record<string, number> = {
  AuthError: 3,
  ConcurrencyLimitError: 4,
  RateLimitError: 4,
  UsageCapError: 4,
  ProxyError: 5,
  CapacityError: 6,
  SessionNotFoundError: 7,
  SessionEndedError: 7,
  ConnectionFailedError: 8,
};

/** The command line under test: a command for each call. */
export function cliDriver(): ClientDriver {
  let env: Record<string, string> = {};
  let flags: string[] = [];
  return {
    async drive(call, options): Promise<Outcome> {
      if (call === 'configure') {
        const { endpoint, apiKey, retries, timeoutMs } = options as any;
        env = { TURNPIKE_URL: endpoint, TURNPIKE_API_KEY: apiKey, XDG_CONFIG_HOME: '/nonexistent' };
        flags = [
          ...(retries === 0 ? ['--no-retry'] : []),
          ...(timeoutMs ? ['--timeout', String(timeoutMs / 1000)] : []),
        ];
        return { ok: null };
      }
      const { token, ...rest } = options as { token?: string };
      const output = call.endsWith('Csv') ? '--csv' : '--json';
      const finished = await turnpike({ ...env, ...(token ? { TURNPIKE_STATS_TOKEN: token } : {}) }, [
        ...argumentsOf(call, rest),
        ...flags,
        output,
        ...(output === '--csv' ? ['--json'] : []),
      ]);
      return outcomeOf(call, finished);
    },
    async [Symbol.asyncDispose]() {},
  };
}

function argumentsOf(call: Exclude<Call, 'configure'>, options: Record<string, any>): string[] {
  const { id, ids, sessionId, product, name, file, ...rest } = options;
  const words: Record<typeof call, string[]> = {
    create: ['open'],
    connectUrl: ['open'],
    reconnectUrl: ['reconnect', sessionId],
    status: ['status', id],
    statuses: ['status', ...(ids ?? [])],
    close: ['close', sessionId],
    listBrowsers: ['ls'],
    listSessions: ['ls', '--all'],
    listProfiles: ['profiles', 'ls'],
    deleteProfile: ['profiles', 'rm', name],
    listCaches: ['caches', 'ls'],
    deleteCache: ['caches', 'rm', name],
    takeSnapshot: ['snapshot', sessionId, ...(name === undefined ? [] : ['--name', name])],
    listSnapshots: ['snapshots', 'ls'],
    deleteSnapshot: ['snapshots', 'rm', id],
    listExtensions: ['extensions', 'ls'],
    uploadExtension: ['extensions', 'upload', file],
    deleteExtension: ['extensions', 'rm', id],
    getLimits: ['limits'],
    getMe: ['whoami'],
    getUsage: ['usage'],
    getSessionCount: ['limits'],
    traffic: ['traffic', sessionId],
    trafficCsv: ['traffic', sessionId],
    accountTraffic: ['traffic'],
    accountTrafficCsv: ['traffic'],
    summary: ['stats', 'summary', product],
    bandwidth: ['stats', 'bandwidth', product],
    bandwidthCsv: ['stats', 'bandwidth', product],
    countries: ['stats', 'countries', product],
  };
  return [...words[call], ...Object.entries(rest).flatMap(([name, value]) => flagOf(name, value))];
}

function flagOf(name: string, value: unknown): string[] {
  const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (value === true) return [flag];
  if (Array.isArray(value)) return [flag, value.join()];
  return [flag, typeof value === 'object' ? JSON.stringify(value) : String(value)];
}

function outcomeOf(call: Call, { code, stdout, stderr }: Finished): Outcome {
  if (code !== 0) {
    const { error } = JSON.parse(stderr);
    const expected = exitCodes[error.class] ?? (error.statusCode === 404 ? 7 : 1);
    if (code !== expected) throw new Error(`a ${error.class} ended with ${code}, not ${expected}`);
    return { error };
  }
  if (call.endsWith('Csv')) return { ok: stdout };
  const answer = JSON.parse(stdout);
  if (call === 'getSessionCount') return { ok: answer.active };
  if (call.startsWith('delete')) return { ok: null };
  if (call !== 'connectUrl') return { ok: answer };
  return { ok: { cdpUrl: answer.cdpUrl, sessionId: answer.browserId, vncUrl: answer.vncUrl ?? null } };
}
