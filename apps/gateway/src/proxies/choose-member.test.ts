import { expect, test } from 'vitest';
import { chooseMember, type Member, type PoolFacts } from './choose-member.ts';

const member = (id: string, position: number, state: Member['state'] = 'healthy', stateAt = 0): Member => ({
  id,
  position,
  state,
  stateAt,
});
const three = [member('c', 2), member('a', 0), member('b', 1, 'unknown')];
const take = (members: readonly Member[], facts: Partial<PoolFacts>) =>
  chooseMember(members, { policy: 'round_robin', turn: -1, figures: new Map(), ...facts })?.id;

test('round_robin goes around, and leaves out those that fail', () => {
  expect([-1, 0, 1, 2].map((turn) => take(three, { turn }))).toEqual(['a', 'b', 'c', 'a']);
  const two = [member('a', 0), member('b', 1, 'failing'), member('c', 2)];
  expect([-1, 0, 1, 2].map((turn) => take(two, { turn }))).toEqual(['a', 'c', 'c', 'a']);
});

test('the lowest figure counts, and the first of those that are equal', () => {
  const figures = new Map([
    ['a', 2],
    ['b', 1],
    ['c', 1],
  ]);
  for (const policy of ['least_sessions', 'least_bytes', 'sticky'] as const)
    expect(take(three, { policy, figures })).toBe('b');
  expect(take(three, { policy: 'least_sessions' })).toBe('a');
});

test('a key keeps its member unless that fails', () => {
  expect(take(three, { policy: 'sticky', keyed: 'c' })).toBe('c');
  const two = [member('a', 0), member('c', 2, 'failing')];
  expect(take(two, { policy: 'sticky', keyed: 'c' })).toBe('a');
});

test('random takes any that does not fail', () => {
  const two = [member('a', 0, 'failing'), member('b', 1), member('c', 2)];
  expect([0, 0.49, 0.5, 0.99].map((number) => take(two, { policy: 'random', random: () => number }))).toEqual(
    [...['b', 'b', 'c', 'c']],
  );
});

test('when all fail, the one that has failed for longest is taken', () => {
  const all = [member('a', 0, 'failing', 9), member('b', 1, 'failing', 3), member('c', 2, 'failing', 5)];
  for (const policy of ['round_robin', 'sticky', 'random'] as const) expect(take(all, { policy })).toBe('b');
  expect(take([], {})).toBeUndefined();
});
