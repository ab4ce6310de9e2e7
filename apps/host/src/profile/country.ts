/** The time zone of most people, for countries with several. */
const mainTimeZones: Readonly<Record<string, string>> = {
  AR: 'America/Argentina/Buenos_Aires',
  AU: 'Australia/Sydney',
  BR: 'America/Sao_Paulo',
  CA: 'America/Toronto',
  CD: 'Africa/Kinshasa',
  CL: 'America/Santiago',
  CN: 'Asia/Shanghai',
  CY: 'Asia/Nicosia',
  DE: 'Europe/Berlin',
  EC: 'America/Guayaquil',
  ES: 'Europe/Madrid',
  GL: 'America/Godthab',
  ID: 'Asia/Jakarta',
  KZ: 'Asia/Almaty',
  MN: 'Asia/Ulaanbaatar',
  MX: 'America/Mexico_City',
  MY: 'Asia/Kuala_Lumpur',
  NZ: 'Pacific/Auckland',
  PG: 'Pacific/Port_Moresby',
  PT: 'Europe/Lisbon',
  RU: 'Europe/Moscow',
  UA: 'Europe/Kiev',
  US: 'America/New_York',
  UZ: 'Asia/Tashkent',
};

/** Locales for which Chrome lists other languages than the locale's and English (seen in its private windows). */
const ownLists: Readonly<Record<string, readonly string[]>> = {
  'bg-BG': ['bg-BG', 'bg'],
  'cs-CZ': ['cs-CZ', 'cs'],
  'el-GR': ['el-GR', 'el'],
  'es-ES': ['es-ES', 'es'],
  'nb-NO': ['nb-NO', 'nb', 'no', 'nn', 'en-US', 'en'],
  'sk-SK': ['sk-SK', 'sk', 'cs', 'en-US', 'en'],
  'sl-SI': ['sl-SI', 'sl', 'en-GB', 'en'],
  'th-TH': ['th-TH', 'th'],
  'vi-VN': ['vi-VN', 'vi', 'fr-FR', 'fr', 'en-US', 'en'],
  'zh-CN': ['zh-CN', 'zh'],
};

const unitedStates = { languages: ['en-US', 'en'], timeZone: 'America/New_York' } as const;

export interface CountryDefaults {
  /** Chrome's list when it is installed in the country's main language. */
  languages: readonly string[];
  timeZone: string;
}

/** The languages and the time zone of a device in a country, from CLDR; undefined if the country is unknown. */
export function countryDefaults(country: string | undefined): CountryDefaults | undefined {
  if (country === undefined || !/^[A-Z]{2}$/.test(country)) return undefined;
  const { language } = new Intl.Locale(`und-${country}`).maximize();
  const zones = timeZonesOf(country);
  const zone = mainTimeZones[country] ?? zones[0];
  if (zone === undefined || language === 'und') return undefined;
  return { languages: languagesOf(language, country), timeZone: canonicalTimeZone(zone) };
}

/** The defaults of the country where most people speak a language; of the United States for one that is unknown. */
export function languageDefaults(tag: string): CountryDefaults {
  return countryDefaults(regionOf(tag)) ?? unitedStates;
}

function regionOf(tag: string): string | undefined {
  try {
    return new Intl.Locale(tag).maximize().region;
  } catch {
    return undefined; // Valid in Accept-Language, but not as a locale.
  }
}

/** This machine's time zone; undefined if it is UTC, as on most servers and on no person's device. */
export function machineTimeZone(): string | undefined {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return /^(Etc\/|UTC$|GMT)/.test(timeZone) ? undefined : timeZone;
}

function languagesOf(language: string, country: string): readonly string[] {
  const local = `${language}-${country}`;
  const own = ownLists[local];
  if (own) return own;
  if (language !== 'en') return [local, language, 'en-US', 'en'];
  return country === 'US' ? [local, 'en'] : [local, 'en-US', 'en'];
}

function timeZonesOf(country: string): readonly string[] {
  const locale = new Intl.Locale(`und-${country}`) as Intl.Locale & { getTimeZones?(): string[] | undefined };
  return locale.getTimeZones?.() ?? [];
}

/** The name that the browser reports: both use CLDR's. */
function canonicalTimeZone(zone: string): string {
  return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
}

/** Proxy services take the exit country in the user name: `ann-country-us`, `ann_country-de`, `ann-cc-us`. */
const countryOption = /(?:^|[-_.:;+])(?:country|cc|geo)[-_.:=]([a-z]{2})(?![a-z])/i;

export function countryOfUser(username: string | undefined): string | undefined {
  return countryOption.exec(username ?? '')?.[1]?.toUpperCase();
}
