import type { Environment } from '@turnpike/process/settings';
import { type Command, InvalidArgumentError } from 'commander';
import { Turnpike } from 'turnpike-client';
import { NotLoggedInError, readCredentials } from './credentials.ts';

/** Options of every command that calls a gateway. */
export interface CallFlags {
  json?: boolean;
  timeout?: number;
  retry?: boolean;
}

export function callFlags(command: Command, { timeout = 120 } = {}): Command {
  return command
    .option('--json', 'print JSON, for scripts')
    .option('--timeout <seconds>', `give up after this time (default: ${timeout})`, positiveSeconds)
    .option('--no-retry', 'do not retry failed requests');
}

/** A client with the credentials of the environment or of `turnpike login`. */
export async function gatewayClient(env: Environment, { timeout, retry }: CallFlags): Promise<Turnpike> {
  const { endpoint, apiKey } = await readCredentials(env);
  if (!endpoint) {
    throw new NotLoggedInError(
      'no gateway is set: run turnpike login, or set TURNPIKE_URL and TURNPIKE_API_KEY',
    );
  }
  if (!apiKey)
    throw new NotLoggedInError(
      `there is no key for ${endpoint}: run turnpike login, or set TURNPIKE_API_KEY`,
    );
  return new Turnpike({
    endpoint,
    apiKey,
    onWarning: (warning) => console.error(`warning: ${warning}`),
    ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
    ...(retry === false ? { retries: 0 } : {}),
  });
}

export async function statsClient(env: Environment, flags: CallFlags) {
  const { endpoint, apiKey, statsToken } = await readCredentials(env);
  if (!statsToken) {
    throw new NotLoggedInError(
      'there is no statistics token: run turnpike login, or set TURNPIKE_STATS_TOKEN',
    );
  }
  // Statistics need no API key, so a person who has only a token can read them.
  const client = await gatewayClient(
    { ...env, TURNPIKE_URL: endpoint, TURNPIKE_API_KEY: apiKey ?? 'none' },
    flags,
  );
  return client.stats(statsToken);
}

function positiveSeconds(text: string): number {
  const seconds = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || seconds <= 0 || seconds > 86_400) {
    throw new InvalidArgumentError('It must be a number of seconds, such as 30 or 0.5.');
  }
  return seconds;
}

export function wholeNumber(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
