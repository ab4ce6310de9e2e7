import { readFileSync } from 'node:fs';

/** Reads settings from the environment. An invalid value throws one sentence that names the variable. */

export class SettingError extends Error {
  constructor(name: string, rule: string) {
    super(`${name} ${rule}`);
    this.name = 'SettingError';
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function integerSetting(
  env: Environment,
  name: string,
  { fallback, min, max }: { fallback: number; min: number; max: number },
): number {
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

/** Port 0 lets the system choose one. */
export function portSetting(env: Environment, name: string, fallback: number): number {
  return integerSetting(env, name, { fallback, min: 0, max: 65535 });
}

export function choiceSetting<T extends string>(
  env: Environment,
  name: string,
  choices: readonly T[],
  fallback: T,
): T {
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
export function urlSetting(env: Environment, name: string, schemes: readonly string[]): URL | undefined {
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
export function fileSetting(env: Environment, name: string): Buffer | undefined {
  const path = textSetting(env, name);
  if (path === undefined) return undefined;
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new SettingError(name, `names a file that cannot be read: ${(cause as Error).message}`);
  }
}
