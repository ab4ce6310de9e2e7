import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairOrder } from './fair-order.ts';

interface Start {
  accountId: string;
  number: number;
}

type Step = { come: string } | { end: number } | { leave: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ come: fc.constantFrom('flood', 'flood', 'flood', 'a', 'b', 'c') }) },
  { weight: 3, arbitrary: fc.record({ end: fc.nat(10) }) },
  { weight: 1, arbitrary: fc.record({ leave: fc.nat(10) }) },
);

/** Runs the steps with so many slots. `onBegin` sees each start that begins, and what waits then. */
function run(
  steps: Step[],
  atOnce: number,
  onBegin: (start: Start, waiting: Start[], running: Start[]) => void,
) {
  const order = new FairOrder<Start>();
  const waiting: Start[] = [];
  const running: Start[] = [];
  const begin = () => {
    while (running.length < atOnce) {
      const [expected] = order.list();
      const next = order.take();
      expect(next).toBe(expected);
      if (!next) break;
      waiting.splice(waiting.indexOf(next), 1);
      onBegin(next, waiting, running);
      running.push(next);
    }
    expect([order.size, order.list().length]).toEqual([waiting.length, waiting.length]);
    expect(new Set(order.list())).toEqual(new Set(waiting));
  };
  for (const [number, one] of steps.entries()) {
    if ('come' in one) {
      const start = { accountId: one.come, number };
      waiting.push(start);
      order.add(start);
    } else if ('end' in one) {
      const [ended] = running.splice(one.end % Math.max(1, running.length), 1);
      if (ended) order.release(ended.accountId);
    } else {
      const [gone] = waiting.splice(one.leave % Math.max(1, waiting.length), 1);
      if (gone) {
        expect(order.remove(gone)).toBe(true);
        expect(order.remove(gone)).toBe(false);
      }
    }
    begin();
  }
}

const steps = fc.array(step, { maxLength: 200 });
const countOf = (starts: readonly Start[], accountId: string) =>
  starts.filter((start) => start.accountId === accountId).length;

test('nobody begins who has more slots than an account that waits, and each account is served as it came', () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 4 }), (all, atOnce) => {
      run(all, atOnce, (start, waiting, running) => {
        for (const other of waiting) {
          expect(countOf(running, start.accountId)).toBeLessThanOrEqual(countOf(running, other.accountId));
          if (other.accountId === start.accountId) expect(other.number).toBeGreaterThan(start.number);
        }
      });
    }),
  );
});

test('with one slot, each other account begins at most once before an account that waits', () => {
  fc.assert(
    fc.property(steps, (all) => {
      /** For each account that waits: who began since it began to wait, or began last. */
      const passed = new Map<string, string[]>();
      run(all, 1, (start, waiting) => {
        passed.delete(start.accountId);
        const waitingAccounts = new Set(waiting.map(({ accountId }) => accountId));
        for (const accountId of passed.keys()) if (!waitingAccounts.has(accountId)) passed.delete(accountId);
        for (const accountId of waitingAccounts) {
          const before = passed.get(accountId) ?? [];
          if (accountId === start.accountId) continue;
          expect(before).not.toContain(start.accountId);
          passed.set(accountId, [...before, start.accountId]);
        }
      });
    }),
  );
});
