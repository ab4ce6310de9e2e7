import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteBudget, newHeldBytes } from '../../memory/byte-budget.ts';
import { MessageSplitter } from './message-splitter.ts';

const newBudget = (limitBytes = 2 ** 20) => new ByteBudget(limitBytes, newHeldBytes(), 'switchboard');

const messages = fc.array(
  fc
    .oneof(fc.string({ minLength: 1 }), fc.string({ minLength: 250, maxLength: 600 }))
    .filter((text) => !text.includes('\0')),
);

it('delivers the same messages however the bytes are cut, from a buffer that is filled again and again', () => {
  fc.assert(
    fc.property(
      messages,
      fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 700 }))),
      (sent, cuts) => {
        const received: string[] = [];
        const budget = newBudget();
        const sink = {
          message: (bytes: Buffer, start: number, end: number) =>
            void received.push(bytes.toString('utf8', start, end)),
          tooLarge: () => void received.push('too large'),
        };
        const splitter = new MessageSplitter(sink, budget.share());
        let bytes = Buffer.from(sent.map((text) => `${text}\0`).join(''));
        const buffer = Buffer.alloc(bytes.length);
        for (const cut of [...cuts, bytes.length]) {
          bytes.copy(buffer, 0, 0, cut);
          splitter.read(buffer, Math.min(cut, bytes.length));
          bytes = bytes.subarray(cut);
          buffer.fill(0);
        }
        expect(received).toEqual(sent);
        expect(budget.heldBytes).toBe(0);
      },
    ),
  );
});

it('keeps only the end of a message that there is no room for, and reads on after it', () => {
  const told: string[] = [];
  const budget = newBudget(100_000);
  const sink = {
    message: (bytes: Buffer, start: number, end: number) =>
      void told.push(bytes.toString('utf8', start, end)),
    tooLarge: (last: Buffer, length: number) => void told.push(`${length} …${last.toString().slice(-3)}`),
  };
  const splitter = new MessageSplitter(sink, budget.share());
  const part = Buffer.alloc(30_000, 'x');
  for (let i = 0; i < 100; i++) {
    splitter.read(part, part.length);
    expect(budget.heldBytes).toBeLessThanOrEqual(100_000);
  }
  splitter.read(Buffer.from('end\0next\0'), 9);
  expect(told).toEqual(['3000003 …end', 'next']);
  expect(budget.heldBytes).toBe(0);
});
