import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join } from 'node:path';
import type { Environment } from '@turnpike/process/settings';

/** The gateway and the account's secrets. */
export interface Credentials {
  endpoint: string;
  apiKey: string;
  statsToken?: string | undefined;
}

/** The gateway's URL or the key is not set. */
export class NotLoggedInError extends Error {
  override name = 'NotLoggedInError';
}

/** Returns undefined for a user without a home directory, as some services and containers have. */
export function credentialsFile(env: Environment): string | undefined {
  const home = env['HOME'] || passwordFileHome();
  const directory = env['XDG_CONFIG_HOME'] || (home && join(home, '.config'));
  return directory && join(directory, 'turnpike', 'config.json');
}

function passwordFileHome(): string | undefined {
  try {
    return os.homedir();
  } catch {
    return undefined; // The user id is not in the password file.
  }
}

/** The environment wins over what `turnpike login` stored. A stored secret goes only to the gateway it is for. */
export async function readCredentials(env: Environment): Promise<Partial<Credentials>> {
  const file = credentialsFile(env);
  const isGiven = Boolean(env['TURNPIKE_URL'] && env['TURNPIKE_API_KEY']);
  const stored = file ? await readStored(file, isGiven) : {};
  const endpoint = env['TURNPIKE_URL'] || stored.endpoint;
  const own = endpoint === stored.endpoint ? stored : {};
  return {
    ...(endpoint ? { endpoint } : {}),
    ...given('apiKey', env['TURNPIKE_API_KEY'] || own.apiKey),
    ...given('statsToken', env['TURNPIKE_STATS_TOKEN'] || own.statsToken),
  };
}

const given = (name: string, value: string | undefined) => (value ? { [name]: value } : {});

/** A file that cannot be read does not matter where the environment has all. */
async function readStored(file: string, isGiven: boolean): Promise<Partial<Credentials>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (isGiven || code === 'ENOENT') return {};
    throw new NotLoggedInError(
      `${file} cannot be read (${code}): check its permissions, or set TURNPIKE_URL and TURNPIKE_API_KEY`,
    );
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new NotLoggedInError(`${file} is not JSON: run turnpike login again`);
  }
}

/** Writes the file atomically, readable only by its owner. */
export async function storeCredentials(env: Environment, credentials: Credentials): Promise<string> {
  const file = credentialsFile(env);
  if (!file) {
    throw new NotLoggedInError(
      'this user has no home directory to store the key in: set XDG_CONFIG_HOME to a directory, or set TURNPIKE_URL and TURNPIKE_API_KEY instead of logging in',
    );
  }
  const draft = `${file}.${process.pid}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
  } catch (error) {
    throw new NotLoggedInError(
      `the key cannot be stored: ${(error as Error).message}. Set XDG_CONFIG_HOME to a directory that you can write, or set TURNPIKE_URL and TURNPIKE_API_KEY instead of logging in`,
    );
  }
  return file;
}

export async function forgetCredentials(env: Environment): Promise<boolean> {
  const file = credentialsFile(env);
  if (!file) return false;
  try {
    await rm(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
