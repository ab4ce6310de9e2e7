import type { Unit } from '@turnpike/contract/bandwidth';

/** The API's names of its units, as people write them. */
export const unitNames: Readonly<Record<Unit, string>> = { Kb: 'kB', Mb: 'MB', Gb: 'GB', Tb: 'TB' };

/** A value of the statistics in its unit, short enough to read. */
export function inUnit(value: number, unit: Unit): string {
  const text =
    value !== 0 && value < 0.001
      ? value.toLocaleString('en', { maximumSignificantDigits: 3 })
      : value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 3 : value < 1000 ? 1 : 0 });
  return `${text} ${unitNames[unit]}`;
}
