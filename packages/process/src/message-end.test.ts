import fc from 'fast-check';
import { expect, test } from 'vitest';
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
