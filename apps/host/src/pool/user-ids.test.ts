import { expect, it } from 'vitest';
import { UserIds } from './user-ids.ts';

it('never gives an id to two browsers', () => {
  const ids = new UserIds(200_000);
  const taken = [ids.take(), ids.take(), ids.take()];
  expect(taken).toEqual([200_000, 200_001, 200_002]);
  ids.release(200_001);
  expect([ids.take(), ids.take()]).toEqual([200_001, 200_003]);
});

it('has none to give where the host is not root', () => {
  const ids = new UserIds(undefined);
  ids.release(ids.take());
  expect(ids.take()).toBeUndefined();
});
