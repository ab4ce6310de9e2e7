import { expect, test } from 'vitest';
import { choiceSetting, integerSetting, portSetting, SettingError, urlSetting } from './settings.ts';

test('what is not set, or empty, is the default', () => {
  expect(portSetting({}, 'PORT', 8080)).toBe(8080);
  expect(portSetting({ PORT: '' }, 'PORT', 8080)).toBe(8080);
  expect(choiceSetting({}, 'LEVEL', ['a', 'b'], 'b')).toBe('b');
  expect(urlSetting({}, 'URL', ['http'])).toBeUndefined();
});

test.each(['x', '-1', '65536', '80.5', '0x50', ' 80', '1e3'])('port %j is refused by name', (PORT) => {
  expect(() => portSetting({ PORT }, 'PORT', 1)).toThrow(
    /^PORT must be a whole number from 0 to 65535, but is /,
  );
});

test('a bad choice names the choices', () => {
  expect(() => choiceSetting({ LEVEL: 'c' }, 'LEVEL', ['a', 'b'], 'a')).toThrow(
    'LEVEL must be one of a, b, but is "c"',
  );
});

test('a bad URL is not echoed: it may hold a password', () => {
  const env = { URL: 'mysql://root:hunter2@db/x' };
  expect(() => urlSetting(env, 'URL', ['postgres'])).toThrow(SettingError);
  expect(() => urlSetting(env, 'URL', ['postgres'])).not.toThrow(/hunter2/);
});

test('integers keep to their bounds', () => {
  const bounds = { fallback: 5, min: 1, max: 10 };
  expect(integerSetting({ N: '10' }, 'N', bounds)).toBe(10);
  expect(() => integerSetting({ N: '11' }, 'N', bounds)).toThrow(SettingError);
});
