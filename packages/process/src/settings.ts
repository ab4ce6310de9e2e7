import { readFileSync } from 'node:fs';
import { type Setting, type SettingName, type SettingValue, settings } from './settings/setting-table.ts';

/** Reads settings from the environment. An invalid value throws one sentence that names the variable. */

export class SettingError extends Error {
  constructor(name: string, rule: string) {
    super(`${name} ${rule}`);
    this.name = 'SettingError';
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads a setting by its row in the table. `narrower`: what only the machine, or another setting, decides. */
export function setting<N extends SettingName>(
  env: Environment,
  name: N,
  narrower: { max?: number; schemes?: readonly string[] } = {},
): SettingValue<N> {
  return readSetting(env, name, { ...settings[name], ...narrower }) as SettingValue<N>;
}

export function readSetting(env: Environment, name: string, row: Setting): unknown {
  switch (row.kind) {
    case 'integer':
    case 'port':
      return integerSetting(env, name, { fallback: row.default, min: row.min, max: row.max });
    case 'choice':
      return choiceSetting(env, name, row.choices, row.default);
    case 'text': {
      const text = textSetting(env, name);
      if (text !== undefined && row.valid?.(text) === false) throw broken(name, row, 'is', text);
      return text ?? row.default;
    }
    case 'list': {
      const items = (env[name] ?? '').split(',').map((text) => text.trim());
      const given = items.filter((text) => text !== '');
      const wrong = given.find((text) => row.valid?.(text) === false);
      if (wrong !== undefined) throw broken(name, row, 'has', wrong);
      return given;
    }
    case 'url':
      return urlSetting(env, name, row.schemes);
    case 'file':
      return fileSetting(env, name);
  }
}

function broken(name: string, row: Setting & { kind: 'text' | 'list' }, verb: string, text: string) {
  return new SettingError(
    name,
    `must ${row.rule}${row.secret ? '' : `, but ${verb} ${JSON.stringify(text)}`}`,
  );
}

export function integerSetting<F extends number | undefined>(
  env: Environment,
  name: string,
  { fallback, min, max }: { fallback: F; min: number; max: number },
): number | F {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new SettingError(
      name,
      `must be a whole number from ${min} to ${max}, but is ${JSON.stringify(text)}`,
    );
  }
  return value;
}

function choiceSetting(
  env: Environment,
  name: string,
  choices: readonly string[],
  fallback: string | undefined,
): string | undefined {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined) {
    throw new SettingError(name, `must be one of ${choices.join(', ')}, but is ${JSON.stringify(text)}`);
  }
  return choice;
}

export function textSetting(env: Environment, name: string): string | undefined {
  return env[name] || undefined;
}

/** Does not print the value in errors, because a URL may contain a password. */
function urlSetting(env: Environment, name: string, schemes: readonly string[]): URL | undefined {
  const text = textSetting(env, name);
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (!url || !schemes.includes(url.protocol.slice(0, -1))) {
    throw new SettingError(
      name,
      `must be a URL that starts with ${schemes.map((s) => `${s}://`).join(' or ')}`,
    );
  }
  return url;
}

/** Reads the file that the setting names. */
function fileSetting(env: Environment, name: string): Buffer | undefined {
  const path = textSetting(env, name);
  if (path === undefined) return undefined;
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new SettingError(name, `names a file that cannot be read: ${(cause as Error).message}`);
  }
}
