import { expect, test } from 'vitest';
import type { Setting } from './settings/setting-table.ts';
import { type Environment, integerSetting, readSetting, SettingError, setting } from './settings.ts';

test('what is not set, or empty, is the default', () => {
  expect(setting({}, 'TURNPIKE_PORT')).toBe(8080);
  expect(setting({ TURNPIKE_PORT: '' }, 'TURNPIKE_PORT')).toBe(8080);
  expect(setting({}, 'TURNPIKE_SANDBOX')).toBe('on');
  expect(setting({}, 'TURNPIKE_PUBLIC_URL')).toBeUndefined();
  expect(setting({}, 'TURNPIKE_HOST_SEATS')).toBeUndefined();
  expect(setting({ TURNPIKE_TRUST_PROXY: ' , ' }, 'TURNPIKE_TRUST_PROXY')).toEqual([]);
});

test.each(['x', '-1', '65536', '80.5', '0x50', ' 80', '1e3'])('port %j is refused by name', (text) => {
  expect(() => setting({ TURNPIKE_PORT: text }, 'TURNPIKE_PORT')).toThrow(
    /^TURNPIKE_PORT must be a whole number from 0 to 65535, but is /,
  );
});

test('a bad choice names the choices', () => {
  expect(() => setting({ TURNPIKE_SANDBOX: 'c' }, 'TURNPIKE_SANDBOX')).toThrow(
    'TURNPIKE_SANDBOX must be one of on, off, but is "c"',
  );
});

const refusal = (env: Environment, name: string, row: Setting): string => {
  try {
    readSetting(env, name, row);
  } catch (error) {
    expect(error).toBeInstanceOf(SettingError);
    return (error as Error).message;
  }
  throw new Error('It was not refused.');
};

test('a bad URL or secret is not echoed: it may hold a password', () => {
  const url = { URL: 'mysql://root:hunter2@db/x' };
  expect(refusal(url, 'URL', { kind: 'url', schemes: ['postgres'], help: '' })).not.toContain('hunter2');
  const secret: Setting = { kind: 'text', secret: true, rule: 'be long', valid: () => false, help: '' };
  expect(refusal({ KEY: 'hunter2' }, 'KEY', secret)).toBe('KEY must be long');
});

test('a bad text or item of a list is named with its rule', () => {
  expect(() => setting({ TURNPIKE_HOST_REGION: 'EU' }, 'TURNPIKE_HOST_REGION')).toThrow(
    /^TURNPIKE_HOST_REGION must be a name such as eu-west.*, but is "EU"$/,
  );
  const origins = 'https://a.example, b.example';
  expect(() => setting({ TURNPIKE_HOST_ALLOWED_ORIGINS: origins }, 'TURNPIKE_HOST_ALLOWED_ORIGINS')).toThrow(
    /^TURNPIKE_HOST_ALLOWED_ORIGINS must be .*, but has "b.example"$/,
  );
});

test('integers keep to their bounds, also to narrower ones', () => {
  const bounds = { fallback: 5, min: 1, max: 10 };
  expect(integerSetting({ N: '10' }, 'N', bounds)).toBe(10);
  expect(() => integerSetting({ N: '11' }, 'N', bounds)).toThrow(SettingError);
  const env = { TURNPIKE_HOST_WARM_HEADFUL: '3' };
  expect(setting(env, 'TURNPIKE_HOST_WARM_HEADFUL')).toBe(3);
  expect(() => setting(env, 'TURNPIKE_HOST_WARM_HEADFUL', { max: 2 })).toThrow('from 0 to 2');
});
