import { stripVTControlCharacters } from 'node:util';

/** Formats quantities and texts for people. */

const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Decimal units, like the statistics. */
export function bytes(count: number): string {
  const power = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(count) / 3));
  const value = count / 1000 ** power;
  return `${power === 0 ? value : value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${units[power]}`;
}

export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${String(whole % 60).padStart(2, '0')}s`;
  const minutes = Math.floor(whole / 60);
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, '0')}m`;
}

export const hours = (seconds: number): string => (seconds / 3600).toFixed(2);

/** How long ago, or how long still. */
export const since = (time: string): string => duration((Date.now() - Date.parse(time)) / 1000);
export const until = (time: string): string => duration((Date.parse(time) - Date.now()) / 1000);

/** A day and time in UTC, as the service counts them. */
export const moment = (time: string): string => time.slice(0, 16).replace('T', ' ');

/** Text of a page, without control characters for the terminal; lines and tabs stay. */
export const plainText = (text: string): string =>
  stripVTControlCharacters(text).replace(/[^\P{Cc}\n\t]/gu, '');
