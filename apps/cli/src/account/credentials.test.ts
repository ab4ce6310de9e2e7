import { mkdir, stat } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { scratchDirectory } from '../../../../tests/fixtures/process/scratch-directory.ts';
import { credentialsFile, forgetCredentials, readCredentials, storeCredentials } from './credentials.ts';

const credentials = { endpoint: 'http://127.0.0.1:8080', apiKey: 'k' };

afterEach(() => void vi.restoreAllMocks());

test('what is stored is read again, by its owner only, and can be forgotten', async () => {
  await using home = await scratchDirectory('home');
  const env = { HOME: home.path };
  const file = await storeCredentials(env, credentials);
  expect(file).toBe(join(home.path, '.config/turnpike/config.json'));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readCredentials(env)).toEqual(credentials);
  expect(await forgetCredentials(env)).toBe(true);
  expect(await readCredentials(env)).toEqual({});
});

describe('a user without a home directory', () => {
  const homeless = () =>
    vi.spyOn(os, 'homedir').mockImplementation(() => {
      throw new Error('uv_os_homedir returned ENOENT');
    });

  test('can use the environment, and is told so at login', async () => {
    homeless();
    expect(credentialsFile({})).toBeUndefined();
    const env = { TURNPIKE_URL: credentials.endpoint, TURNPIKE_API_KEY: 'k' };
    expect(await readCredentials(env)).toEqual(credentials);
    expect(await forgetCredentials({})).toBe(false);
    await expect(storeCredentials({}, credentials)).rejects.toThrow(
      /no home directory.*set XDG_CONFIG_HOME.*or set TURNPIKE_URL and TURNPIKE_API_KEY/,
    );
  });

  test('can name a directory', async () => {
    homeless();
    await using directory = await scratchDirectory('config');
    const env = { XDG_CONFIG_HOME: directory.path };
    await storeCredentials(env, credentials);
    expect(await readCredentials(env)).toEqual(credentials);
  });
});

test('a home that cannot be used is named, with what to do', async () => {
  await using directory = await scratchDirectory('config');
  const file = join(directory.path, 'turnpike/config.json');
  await mkdir(file, { recursive: true }); // A directory where the file should be.
  const env = { XDG_CONFIG_HOME: directory.path };
  await expect(readCredentials(env)).rejects.toThrow(`${file} cannot be read (EISDIR)`);
  const given = { ...env, TURNPIKE_URL: credentials.endpoint, TURNPIKE_API_KEY: 'k' };
  expect(await readCredentials(given)).toEqual(credentials);
  await expect(storeCredentials({ HOME: '/dev/null' }, credentials)).rejects.toThrow(
    /cannot be stored.*Set XDG_CONFIG_HOME/,
  );
});
