import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
import { findStorageProblem } from '@turnpike/gateway/administration';
import { mailSettings, recordingLocation } from '@turnpike/gateway/config';
import { type Environment, readSetting, SettingError, setting } from '@turnpike/process/settings';
import {
  defaultText,
  type Part,
  type SettingName,
  settingGroups,
} from '@turnpike/process/settings/setting-table';
import { misspelling, unknownSettings } from '@turnpike/process/settings/unknown-settings';
import { urlHost } from '@turnpike/tunnel/addresses/url-host';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Reports each setting of the part that is invalid, and variables that are named like a setting and are none. */
export function checkSettings(env: Environment, part: Part): Finding[] {
  const read = settingGroups.filter(({ parts }) => parts.includes(part));
  const invalid = read.flatMap(({ rows }) =>
    Object.entries(rows).flatMap(([name, row]) => {
      try {
        readSetting(env, name, row);
        return [];
      } catch (error) {
        if (!(error instanceof SettingError)) throw error;
        const otherwise = defaultText(row) && `, which is ${defaultText(row)}`;
        return fail(
          error.message,
          `correct it, or leave it out for the default${otherwise}. It is: ${row.help}`,
        );
      }
    }),
  );
  const unknown = unknownSettings(env).map((each) =>
    each.nearest === undefined
      ? warn(misspelling(each), 'docs/settings.md lists all; if another program reads it, leave it')
      : fail(misspelling(each), 'Turnpike does not start with it: correct the name, or remove it'),
  );
  return [...invalid, ...unknown];
}

export async function checkPort(
  env: Environment,
  name: Extract<SettingName, `TURNPIKE_${string}PORT`>,
  bindName: Extract<SettingName, `TURNPIKE_${string}BIND`> = 'TURNPIKE_BIND',
): Promise<Finding> {
  let port: number | undefined;
  try {
    port = setting(env, name);
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error), `give ${name} such a value, or none`);
  }
  const server = createServer();
  try {
    server.listen(port, setting(env, bindName));
    await once(server, 'listening');
    return ok(`port ${port} is free (${name})`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code === 'EADDRINUSE') {
      return warn(
        `port ${port} is taken (${name})`,
        `fine if that is Turnpike itself; else set ${name} to another`,
      );
    }
    return fail(`port ${port} cannot be used (${name}): ${error.code}`, `set ${name} to another port`);
  } finally {
    if (server.listening) await server[Symbol.asyncDispose]();
  }
}

export function checkDataDirectory(env: Environment): Finding {
  const directory = resolve(setting(env, 'TURNPIKE_DATA_DIR'));
  let existing = directory;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(`${existing}/.`, constants.W_OK | constants.X_OK);
    return ok(`data goes to ${directory}`);
  } catch {
    return fail(
      `${existing} is not a directory that can be written`,
      'set TURNPIKE_DATA_DIR to a directory that this user may write',
    );
  }
}

/** Checks only that the port answers; a wrong password shows when the service starts. */
export async function checkDatabase(env: Environment): Promise<Finding> {
  let url: URL | undefined;
  try {
    url = setting(env, 'DATABASE_URL');
  } catch (error) {
    return fail(
      error instanceof Error ? error.message : String(error),
      'for the built-in SQLite, leave it empty',
    );
  }
  if (!url) return ok('DATABASE_URL is not set: SQLite in the data directory');
  const port = Number(url.port || 5432);
  const address = `${url.hostname}:${port}`;
  return (await answers(port, urlHost(url)))
    ? ok(`PostgreSQL's port answers (${address})`)
    : fail(`PostgreSQL does not answer (${address})`, 'start it, or correct DATABASE_URL');
}

/** `directory`: where recordings go without a setting. */
export async function checkRecordings(env: Environment, directory?: string): Promise<Finding> {
  let location: ReturnType<typeof recordingLocation>;
  try {
    location = recordingLocation(env, directory);
  } catch (error) {
    return fail(
      error instanceof Error ? error.message : String(error),
      'set it to file:/directory or s3://bucket/prefix',
    );
  }
  if (!location) return ok('TURNPIKE_RECORDINGS_URL is not set: sessions cannot be recorded');
  const problem = await findStorageProblem(location);
  if (problem) return fail(problem.what, problem.advice);
  const place = location.kind === 'file' ? location.directory : `s3://${location.bucket}/${location.prefix}`;
  return ok(`recordings go to ${place}`);
}

/** Checks the settings, and that the port answers. `turnpike mail test` shows whether the server takes e-mails. */
export async function checkMail(env: Environment): Promise<Finding> {
  let settings: ReturnType<typeof mailSettings>;
  try {
    settings = mailSettings(env);
    if (!settings) return ok('TURNPIKE_SMTP_URL is not set: no e-mails are sent');
    if (!setting(env, 'TURNPIKE_PUBLIC_URL'))
      return fail('TURNPIKE_PUBLIC_URL is not set: e-mails have links', "set it to the gateway's URL");
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error), 'to send no e-mails, leave it empty');
  }
  const { host, port } = settings;
  return (await answers(port, host))
    ? ok(`the SMTP server's port answers (${host}:${port})`)
    : fail(`the SMTP server does not answer (${host}:${port})`, 'start it, or correct TURNPIKE_SMTP_URL');
}

async function answers(port: number, host: string): Promise<boolean> {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(5_000) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
