import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fifo } from './fifo.ts';

test('gives what was added, once and in order, whenever it is taken', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -400, max: 400 })), (steps) => {
      const fifo = new Fifo<number>();
      const expected: number[] = [];
      let next = 0;
      for (const step of steps) {
        for (let i = 0; i < step; i++) {
          expected.push(next);
          fifo.add(next++);
        }
        for (let i = 0; i > step; i--) expect(fifo.take()).toBe(expected.shift());
        expect(fifo.isEmpty).toBe(expected.length === 0);
      }
    }),
  );
});
