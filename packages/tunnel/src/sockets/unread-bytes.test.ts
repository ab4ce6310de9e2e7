import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectLinear } from '../../../../tests/fixtures/suite/cost.ts';
import { UnreadBytes } from './unread-bytes.ts';

const step = fc.oneof(
  fc.record({ add: fc.integer({ min: 1, max: 9000 }) }),
  fc.record({ take: fc.integer({ min: 1, max: 9000 }) }),
  fc.record({ putBack: fc.constant(true) }),
);

test('keeps every byte in its place, however it is added and taken', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const unread = new UnreadBytes();
      const taken: Buffer[] = [];
      let added = 0;
      for (const each of steps) {
        if ('add' in each) {
          unread.add(Buffer.from(Array.from({ length: each.add % 5000 }, (_, i) => (added + i) % 251)));
          added += each.add % 5000;
        } else if ('putBack' in each) {
          const last = taken.pop();
          if (last) unread.putBack(last);
        } else if (unread.length > 0) taken.push(unread.take(each.take));
      }
      const all = Buffer.concat([...taken, ...(unread.length > 0 ? [unread.takeAll()] : [])]);
      expect(all.length).toBe(added);
      expect(all.every((byte, i) => byte === i % 251)).toBe(true);
      expect(unread.length).toBe(0);
    }),
    { numRuns: 200 },
  );
});

test('joins pieces of one byte at a cost that grows with their number, into few chunks', async () => {
  const byte = Buffer.from('x');
  const fill = (size: number) => {
    const unread = new UnreadBytes();
    for (let i = 0; i < size; i++) unread.add(byte);
    return unread;
  };
  await expectLinear((size) => size, fill, { from: 2 ** 14, to: 2 ** 18 });
  const unread = fill(65_536);
  let chunks = 0;
  for (; unread.length > 0; chunks++) unread.take();
  expect(chunks).toBeLessThanOrEqual(17);
});
