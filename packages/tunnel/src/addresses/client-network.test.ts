import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientNetwork } from './client-network.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0DB8:1:02::', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['fe80::1%-', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['', ''],
])('%j counts as %j', (address, expected) => {
  expect(clientNetwork(address)).toBe(expected);
});

test('every address has a network, and all addresses of a /64 have the same', () => {
  const groups = fc.array(fc.integer({ min: 1, max: 0xffff }), { minLength: 4, maxLength: 4 });
  const written = (parts: number[]) => parts.map((part) => part.toString(16)).join(':');
  fc.assert(
    fc.property(groups, groups, (network, rest) => {
      expect(clientNetwork(written([...network, ...rest]))).toBe(written(network));
    }),
  );
  fc.assert(fc.property(fc.ipV6(), (address) => void clientNetwork(address)));
});
