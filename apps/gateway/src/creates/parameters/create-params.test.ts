import { expect, test } from 'vitest';
import { ApiError } from '../../http/api-error.ts';
import { parseConnectQuery, parseCreateBody } from './create-params.ts';

const proxy = 'http://user:secret@proxy.example:8000';

test('a create with several wrong parameters is told the first of a fixed order', () => {
  const wrong: Record<string, unknown> = {
    proxy: 'nowhere',
    idleTimeout: 1,
    profile: '',
    region: 'EU',
    maxLifetime: 'long',
    screen_height_min: 9999,
    screen_width_min: 'wide',
    ui_language: '-',
    browser_language: 1,
    os: 'beos',
    browser_version_max: 0,
    browser_version_min: 'new',
    metadata: 1,
  };
  const told: (string | undefined)[] = [];
  while (Object.keys(wrong).length > 0) {
    const field = fieldOf(() => parseCreateBody(wrong));
    told.push(field);
    delete wrong[field ?? ''];
  }
  expect(told).toEqual([
    'metadata',
    'browser_version_min',
    'browser_version_max',
    'os',
    'browser_language',
    'ui_language',
    'screen_width_min',
    'screen_height_min',
    'maxLifetime',
    'region',
    'profile',
    'idleTimeout',
    'proxy',
  ]);
});

test('rules about two parameters name the one to change', () => {
  const versions = { proxy, browser_version_min: 150, browser_version_max: 149, os: 'beos' };
  expect(fieldOf(() => parseCreateBody(versions))).toBe('browser_version_min');
  for (const given of [{ record_bodies: true }, { record_pictures: 0 }]) {
    expect(fieldOf(() => parseCreateBody({ proxy, ...given }))).toBe(Object.keys(given)[0]);
    expect(parseCreateBody({ proxy, record: true, ...given }).params.browser.record).toBe(true);
  }
  expect(fieldOf(() => parseCreateBody({ proxy, record: true, record_pictures: 5 }))).toBe('record_pictures');
  expect(fieldOf(() => parseCreateBody({ proxy, saveProfile: true }))).toBe('saveProfile');
});

test('a parameter works under its older name, and both names together must say the same', () => {
  for (const given of [{ idle_timeout: 60 }, { idleTimeout: 60 }, { idle_timeout: '60', idleTimeout: 60 }]) {
    expect(parseCreateBody({ proxy, ...given })).toEqual(parseCreateBody({ proxy, idleTimeout: 60 }));
    expect(parseConnectQuery({ proxy, ...given }).params.idleSeconds).toBe(60);
  }
  expect(parseConnectQuery({ proxy, profile: 'shop', save_profile: 'true' }).params.profile?.save).toBe(true);
  expect(parseCreateBody({ proxy, idle_timeout: 60, idleTimeout: null }).params.idleSeconds).toBe(60);
  expect(() => parseCreateBody({ proxy, idle_timeout: 60, idleTimeout: 90 })).toThrow(
    'idle_timeout must not differ from idleTimeout, its older name. Give one of them',
  );
  const flags = { profile: 'shop', save_profile: 'true', saveProfile: 'false' };
  expect(fieldOf(() => parseConnectQuery({ proxy, ...flags }))).toBe('save_profile');
});

test('a wrong value is told under the name that it was given by', () => {
  for (const name of ['idle_timeout', 'idleTimeout', 'save_profile', 'saveProfile'])
    expect(fieldOf(() => parseCreateBody({ proxy, [name]: name.startsWith('idle') ? 1 : true }))).toBe(name);
});

test('a parameter at the top of a body wins over the same one in browserParams, whichever name each has', () => {
  const older = { proxy, idleTimeout: 60 };
  const newer = { proxy, idle_timeout: 90 };
  expect(parseCreateBody({ ...newer, browserParams: older }).params.idleSeconds).toBe(90);
  expect(parseCreateBody({ ...older, browserParams: newer }).params.idleSeconds).toBe(60);
  expect(parseCreateBody({ idle_timeout: null, browserParams: older }).params.idleSeconds).toBe(60);
  expect(parseCreateBody({ '': 1, browserParams: newer }).params.idleSeconds).toBe(90);
});

test('a session tells what was asked for, without what was not given and without the password', () => {
  expect(parseCreateBody({ proxy }).described).toEqual({
    os: 'windows',
    proxy: 'http://user:***@proxy.example:8000',
    headless: false,
    vnc: false,
    force_visibility: false,
    maxLifetime: 7200,
  });
  const more = { screen_width_min: '1920', browser_language: 'auto', idle_timeout: 60, profile: 'shop' };
  expect(parseCreateBody({ proxy, browserParams: more }).described).toMatchObject({
    screen_width_min: 1920,
    idleTimeout: 60,
    savedProfile: 'shop',
    saveProfile: false,
  });
});

test('what a create asks for keeps its form, since Idempotency-Keys of the version before depend on it', () => {
  expect(parseCreateBody({ proxy, ui_language: 'de', screen_height_min: 0 }).params).toEqual({
    browser: { os: 'windows', headless: false, vnc: false, forceVisibility: false, uiLanguage: 'de' },
    proxy: { scheme: 'http', host: 'proxy.example', port: 8000, username: 'user', password: 'secret' },
    lifetimeSeconds: 7200,
    region: undefined,
    idleSeconds: undefined,
    profile: undefined,
    metadata: {},
  });
});

function fieldOf(parse: () => unknown): string | undefined {
  try {
    parse();
  } catch (error) {
    if (error instanceof ApiError) return error.field;
    throw error;
  }
  return undefined;
}
