import { expect, it } from 'vitest';
import { ByteBudget, newHeldBytes, type Share } from './byte-budget.ts';

/** Holders of one budget, each of which drops what it has when it is asked to. */
function holders(count: number, budget: ByteBudget) {
  const gaveUp: number[] = [];
  const shares: Share[] = Array.from({ length: count }, (_, i) =>
    budget.share(() => {
      gaveUp.push(i);
      const share = shares[i] as Share;
      share.add(-share.bytes);
    }),
  );
  return { gaveUp, shares: shares as [Share, Share, Share] };
}

const newBudget = (limitBytes: number) => new ByteBudget(limitBytes, newHeldBytes(), 'switchboard');

it('takes up to its limit, over all who hold something', () => {
  const budget = newBudget(100);
  const { shares, gaveUp } = holders(3, budget);
  for (const share of shares) expect(share.take(33)).toBe(true);
  expect(shares[0].take(1)).toBe(true);
  expect(shares[1].take(1)).toBe(true);
  expect(gaveUp).toEqual([0]);
  expect(budget.heldBytes).toBe(67);
});

it('has those give up who hold the most, one after the other, and no more than are needed', () => {
  const budget = newBudget(100);
  const { shares, gaveUp } = holders(3, budget);
  shares[0].add(30);
  shares[1].add(60);
  expect(shares[2].take(25)).toBe(true);
  expect(gaveUp).toEqual([1]);
});

it('refuses the one who asks where nobody holds more', () => {
  const budget = newBudget(100);
  const { shares, gaveUp } = holders(3, budget);
  shares[0].add(50);
  shares[1].add(40);
  expect(shares[0].take(20)).toBe(false);
  expect(shares[2].take(101)).toBe(false);
  expect([gaveUp, budget.heldBytes]).toEqual([[], 90]);
});

it('is one for both threads', () => {
  const held = newHeldBytes();
  const [thread, host] = [new ByteBudget(100, held, 'switchboard'), new ByteBudget(100, held, 'host')];
  const reserved = host.reserve(80);
  expect(thread.share().take(30)).toBe(false);
  expect(host.reserve(30)).toBeUndefined();
  reserved?.[Symbol.dispose]();
  reserved?.[Symbol.dispose]();
  expect(thread.share().take(30)).toBe(true);
  expect(host.heldBytes).toBe(30);
});
