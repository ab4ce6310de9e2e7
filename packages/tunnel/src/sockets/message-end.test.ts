import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectLinear } from '../../../../tests/fixtures/suite/cost.ts';
import { EndFinder, type MessageEnd } from './message-end.ts';

const endings = { line: /\n/, head: /\n\r?\n/ };

/** Finds the end in pieces of one size, as `Connection` does. */
function find(end: MessageEnd, bytes: Buffer, size: number): number {
  const finder = new EndFinder(end);
  for (let from = 0; from < bytes.length; from += size) {
    const at = finder.find(bytes.subarray(from, from + size));
    if (at >= 0) return from + at;
  }
  return -1;
}

test.each(['line', 'head'] as const)('finds the end of a %s, in whatever pieces it comes', (end) => {
  const text = fc.string({ unit: fc.constantFrom('\r', '\n', 'a'), maxLength: 30 });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 31 }), (given, size) => {
      const match = endings[end].exec(given);
      const expected = match ? match.index + match[0].length : -1;
      expect(find(end, Buffer.from(given), size)).toBe(expected);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['heads with carriage returns', 'head', 'GET / HTTP/1.1\r\n\r\n'],
  ['heads with bare line feeds', 'head', 'GET / HTTP/1.1\n\n'],
  ['lines', 'line', '1\n'],
] as const)('finds each of many %s without a look at those behind it', async (_name, end, text) => {
  const findAll = (bytes: Buffer) => {
    let rest = bytes;
    for (let at = 0; at >= 0; at = new EndFinder(end).find(rest)) rest = rest.subarray(at);
    expect(rest).toHaveLength(0);
  };
  const input = (size: number) => Buffer.from(text.repeat(size / text.length));
  await expectLinear(input, findAll, { from: 2 ** 13, to: 2 ** 18 });
});
