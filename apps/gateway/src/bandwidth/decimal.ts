import { type Unit, unitDigits } from '@turnpike/contract/bandwidth';

/** Writes a byte count in a unit, exactly: `1234567` bytes are `0.001234567` Gb. */
export function inUnit(bytes: bigint, unit: Unit): string {
  const digits = unitDigits[unit];
  const text = bytes.toString().padStart(digits + 1, '0');
  const fraction = text.slice(-digits).replace(/(?<!0)0+$/, '');
  const whole = text.slice(0, -digits);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
