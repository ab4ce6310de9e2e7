import { type Unit, unitDigits } from '@turnpike/contract/bandwidth';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inUnit } from './decimal.ts';

test.each([
  [0n, 'Gb', '0'],
  [1n, 'Gb', '0.000000001'],
  [1_500_000_000n, 'Gb', '1.5'],
  [1000n, 'Kb', '1'],
  [999n, 'Kb', '0.999'],
  [9_007_199_254_740_993n, 'Kb', '9007199254740.993'],
  [1n, 'Tb', '0.000000000001'],
] as const)('%s bytes are %s %s', (bytes, unit, text) => expect(inUnit(bytes, unit)).toBe(text));

test('no digit is lost or made up', () => {
  const unit = fc.constantFrom(...(Object.keys(unitDigits) as Unit[]));
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), unit, (bytes, name) => {
      const [whole = '', fraction = ''] = inUnit(bytes, name).split('.');
      expect(BigInt(whole + fraction.padEnd(unitDigits[name], '0'))).toBe(bytes);
      expect(fraction).not.toMatch(/0$/);
      expect(whole).toMatch(/^(0|[1-9]\d*)$/);
    }),
  );
});
