/** Numbers formatted for people, each with its unit. */

const number = (value: number, digits: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: digits });

export const count = (value: number): string => number(value, 0);

/** `1 session`, `2 sessions`. */
export const counted = (value: number, noun: string): string =>
  `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** Decimal units: 1 kB is 1000 bytes, as in the statistics. */
export function bytes(value: number): string {
  const step = value < 1000 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), byteUnits.length - 1);
  const scaled = value / 1000 ** step;
  return `${number(scaled, scaled < 10 && step > 0 ? 2 : scaled < 100 && step > 0 ? 1 : 0)} ${byteUnits[step]}`;
}

export const gigabytes = (value: number): string => bytes(Math.round(value * 1e9));

/** `45 s`, `12 min`, `3 h 20 min`, `2 d 4 h`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return joined(Math.floor(whole / 60), 'min', whole < 600 ? whole % 60 : 0, 's');
  if (whole < 86_400) return joined(Math.floor(whole / 3600), 'h', Math.floor((whole % 3600) / 60), 'min');
  return joined(Math.floor(whole / 86_400), 'd', Math.floor((whole % 86_400) / 3600), 'h');
}

const joined = (first: number, unit: string, second: number, smaller: string): string =>
  second ? `${count(first)} ${unit} ${second} ${smaller}` : `${count(first)} ${unit}`;

/** Browser hours, the unit of limits. */
export function hours(seconds: number): string {
  const value = seconds / 3600;
  return `${number(value, value < 10 ? 2 : value < 100 ? 1 : 0)} h`;
}

export const percent = (share: number): string => `${number(share * 100, share < 0.1 ? 1 : 0)} %`;

const regions = new Intl.DisplayNames('en', { type: 'region' });

/** The English name of an ISO 3166-1 alpha-2 code; `ZZ` is an unknown country. */
export function countryName(code: string): string {
  if (code === 'ZZ') return 'Unknown';
  try {
    return regions.of(code) ?? code;
  } catch {
    return code;
  }
}

export const operatingSystemNames: Readonly<Record<string, string>> = {
  windows: 'Windows',
  android: 'Android',
  linux: 'Linux',
  macos: 'macOS',
};

export const productNames = {
  residential: 'Residential',
  'rotating-isp': 'Rotating ISP',
  'rotating-dc': 'Rotating datacenter',
  'web-unblocker': 'Web unblocker',
} as const;

/** A sum of money in the account's own currency. */
export function costText(cost: number | null | undefined): string {
  if (cost === null || cost === undefined) return '–';
  return cost.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: cost < 1 ? 4 : 2 });
}
