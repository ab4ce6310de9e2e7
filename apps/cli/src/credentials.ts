import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
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

export function credentialsFile(env: Environment): string {
  const directory = env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config');
  return join(directory, 'turnpike', 'config.json');
}

/** The environment wins over what `turnpike login` stored. A stored secret goes only to the gateway it is for. */
export async function readCredentials(env: Environment): Promise<Partial<Credentials>> {
  const stored = await readStored(credentialsFile(env));
  const endpoint = env['TURNPIKE_URL'] || stored.endpoint;
  const own = endpoint === stored.endpoint ? stored : {};
  return {
    ...(endpoint ? { endpoint } : {}),
    ...given('apiKey', env['TURNPIKE_API_KEY'] || own.apiKey),
    ...given('statsToken', env['TURNPIKE_STATS_TOKEN'] || own.statsToken),
  };
}

const given = (name: string, value: string | undefined) => (value ? { [name]: value } : {});

async function readStored(file: string): Promise<Partial<Credentials>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
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
  const draft = `${file}.${process.pid}`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(draft, file);
  return file;
}

export async function forgetCredentials(env: Environment): Promise<boolean> {
  try {
    await rm(credentialsFile(env));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
