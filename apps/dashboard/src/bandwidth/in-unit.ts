import type { Unit } from '@turnpike/contract/bandwidth';

/** A value of the statistics in the unit that was asked for, short enough to read. */
export function inUnit(value: number, unit: Unit): string {
  const text =
    value !== 0 && value < 0.001
      ? value.toLocaleString('en', { maximumSignificantDigits: 3 })
      : value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 3 : value < 1000 ? 1 : 0 });
  return `${text} ${unit}`;
}
