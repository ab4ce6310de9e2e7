import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { isSettingEnough } from './browser-languages.ts';
import { browserMemory } from './browser-memory.ts';
import { claimVersion, seenVersions } from './chromium-version.ts';
import { countryDefaults, countryOfUser } from './country.ts';
import { deviceTable } from './devices/device-table.ts';
import { makeDevice } from './devices/make-device.ts';
import { acceptLanguage, languageTags, localeFor, withBases } from './languages.ts';
import { completeProfile, planDevice } from './profile.ts';
import { userAgentMetadata } from './user-agent.ts';

describe('the version claimed', () => {
  const running = '156.0.8078.79';
  it.each([
    [{}, running],
    [{ min: 100, max: 200 }, running],
    [{ max: 147 }, '147.0.7727.137'],
    [{ min: 160 }, '160.0.8278.79'],
    [{ max: 118 }, '118.0.5999.193'],
    [{ max: 1 }, '1.0.149.193'],
  ])('for %o is %s', (range, full) => {
    expect(claimVersion(running, range).full).toBe(full);
  });
});

it('brands are those that Chrome 147 and 148 were seen with', () => {
  const [row] = deviceTable.windows.devices;
  if (!row) throw new Error('no device');
  const screen = { ofMonitors: false, index: 0 };
  const device = makeDevice('windows', { row, memory: 0, screen, version: 0, bars: 0 });
  const brands = (major: number) =>
    userAgentMetadata('windows', device, { major, full: `${major}.0.1.2` }).fullVersionList;
  expect(brands(147)).toEqual([
    { brand: 'Google Chrome', version: '147.0.1.2' },
    { brand: 'Not.A/Brand', version: '8.0.0.0' },
    { brand: 'Chromium', version: '147.0.1.2' },
  ]);
  expect(brands(148)).toEqual([
    { brand: 'Chromium', version: '148.0.1.2' },
    { brand: 'Google Chrome', version: '148.0.1.2' },
    { brand: 'Not/A)Brand', version: '99.0.0.0' },
  ]);
});

it('the documentation says which versions the data covers', async () => {
  const text = await readFile(join(import.meta.dirname, '../../../../docs/profiles.md'), 'utf8');
  const majors = Object.keys(seenVersions).map(Number);
  expect(text).toContain(`Chrome ${Math.min(...majors)} to ${Math.max(...majors)}`);
  for (const [os, name] of [
    ['macos', 'macOS'],
    ['android', 'Android'],
  ] as const) {
    const versions = deviceTable[os].versions.map(([version]) => Number.parseInt(version, 10));
    expect(text).toContain(`${name} ${Math.min(...versions)} to ${Math.max(...versions)}`);
  }
  // Chrome says 13 and above for Windows 11.
  expect(deviceTable.windows.versions.every(([version]) => Number.parseInt(version, 10) >= 13)).toBe(true);
});

describe('languages', () => {
  it.each([
    ['de-DE,de;q=0.9,en;q=0.8', ['de-DE', 'de', 'en']],
    ['en;q=0.5, FR-ch', ['fr-CH', 'en']],
    ['*', []],
    ['', []],
    ['de, de;q=0.3, it;q=0', ['de']],
  ])('%s', (text, tags) => {
    expect(languageTags(text)).toEqual(tags);
  });

  it.each([
    ['de-AT', 'de-AT,de;q=0.9'],
    ['ja', 'ja'],
    ['en-GB,en-US', 'en-GB,en-US;q=0.9,en;q=0.8'],
    ['fr-CH,de,fr', 'fr-CH,fr;q=0.9,de;q=0.8'],
    ['x-klingon', 'x-klingon'],
    [
      'a,b,c,d,e,f,g,h,i,j,k',
      'a,b;q=0.9,c;q=0.8,d;q=0.7,e;q=0.6,f;q=0.5,g;q=0.4,h;q=0.3,i;q=0.2,j;q=0.1,k;q=0.1',
    ],
  ])('%s are written as Chromium writes them', (text, header) => {
    expect(acceptLanguage(withBases(languageTags(text)))).toBe(header);
  });

  it.each([
    [['ja'], true, true],
    [['en-US', 'en'], true, true],
    [['en-GB', 'en-US', 'en'], true, true],
    [['de-DE', 'de', 'en-US', 'en'], true, true],
    [['de-DE', 'de'], true, false],
    [['ja-JP', 'ja', 'en-US', 'en'], true, false],
  ])(
    "%s: the browser's setting is enough in its own context (%s), and in a client's (%s)",
    (tags, own, other) => {
      expect(isSettingEnough(tags, { own: true })).toBe(own);
      expect(isSettingEnough(tags, { own: false })).toBe(other);
    },
  );

  it('a locale is one that Intl knows', () => {
    expect(localeFor(['x-klingon', 'tlh', 'de-AT'])).toBe('de-AT');
    expect(localeFor(['tlh'])).toBeUndefined();
  });
});

describe('a country', () => {
  it.each([
    ['US', ['en-US', 'en'], 'America/New_York'],
    ['GB', ['en-GB', 'en-US', 'en'], 'Europe/London'],
    ['DE', ['de-DE', 'de', 'en-US', 'en'], 'Europe/Berlin'],
    ['ES', ['es-ES', 'es'], 'Europe/Madrid'],
    ['IN', ['hi-IN', 'hi', 'en-US', 'en'], 'Asia/Calcutta'],
  ])('%s has its languages and its time zone', (country, languages, timeZone) => {
    expect(countryDefaults(country)).toEqual({ languages, timeZone });
  });

  it.each(['ZZ', 'usa', undefined])('%s is unknown', (country) => {
    expect(countryDefaults(country)).toBeUndefined();
  });

  it.each([
    ['u1a2-product-residential-country-us', 'US'],
    ['ann_country-de_session-7', 'DE'],
    ['country-de', 'DE'],
    ['ann-cc-fr', 'FR'],
    ['ann-country-usa', undefined],
    ['accountry-us', undefined],
    [undefined, undefined],
  ])('is read from the user name %s', (name, country) => {
    expect(countryOfUser(name)).toBe(country);
  });
});

it('memory is the nearest power of two', () => {
  const gib = 2 ** 30;
  expect([1, 3.9, 7.6, 23.5, 31, 64].map((size) => browserMemory(size * gib))).toEqual([2, 4, 8, 16, 32, 32]);
});

it('what is asked for goes before what the country suggests', () => {
  const params = { os: 'windows', headless: true, vnc: false, forceVisibility: false } as const;
  const machine = { chromiumVersion: '156.0.8078.79', memory: 8 };
  const plan = planDevice({ ...params, browserLanguage: 'fr-CH,fr', uiLanguage: 'it' }, machine);
  expect(completeProfile(plan, { country: 'JP' })).toMatchObject({
    languages: ['fr-CH', 'fr'],
    locale: 'it',
    timeZone: 'Asia/Tokyo',
  });
});

describe('the time zone', () => {
  const params = { os: 'windows', headless: true, vnc: false, forceVisibility: false } as const;
  const machine = { chromiumVersion: '156.0.8078.79', memory: 8 };
  it.each([
    [
      'the exit country',
      { country: 'DE', proxyCountry: 'FR', machineTimeZone: 'Asia/Tokyo' },
      'Europe/Berlin',
    ],
    [
      "the country of the proxy's address",
      { proxyCountry: 'FR', machineTimeZone: 'Asia/Tokyo' },
      'Europe/Paris',
    ],
    ["the machine's", { machineTimeZone: 'Asia/Tokyo' }, 'Asia/Tokyo'],
  ])('is that of %s', (_name, place, timeZone) => {
    expect(completeProfile(planDevice(params, machine), place)).toMatchObject({
      timeZone,
      languages: 'country' in place ? ['de-DE', 'de', 'en-US', 'en'] : ['en-US', 'en'],
    });
  });

  it.each([
    [undefined, 'America/New_York'],
    ['de-AT', 'Europe/Vienna'],
    ['ja', 'Asia/Tokyo'],
    ['x-klingon', 'America/New_York'],
  ])('with nothing known, and languages %s, is %s', (browserLanguage, timeZone) => {
    vi.stubEnv('TZ', 'UTC');
    const plan = planDevice({ ...params, ...(browserLanguage && { browserLanguage }) }, machine);
    expect(completeProfile(plan)).toMatchObject({ timeZone });
    vi.unstubAllEnvs();
  });
});
