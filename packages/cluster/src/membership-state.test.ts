import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type MembershipEvent,
  type MembershipState,
  nextState,
  offersSeats,
  phaseOf,
} from './membership-state.ts';

const events = [
  ...(['accepted', 'drained', 'ending', 'lapsed'] as const),
  ...(['name-taken', 'removed', 'retired', 'left'] as const),
] satisfies MembershipEvent[];

/** Follows a new host through events. Returns its state after each. */
function follow(happened: readonly MembershipEvent[]): MembershipState[] {
  let state: MembershipState = 'joining';
  return happened.map((event) => {
    state = nextState(state, event);
    return state;
  });
}

const last = (...happened: MembershipEvent[]) => follow(happened).at(-1);

function always(holds: (states: MembershipState[], happened: MembershipEvent[]) => void): void {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...events), { maxLength: 30 }), (happened) =>
      holds(follow(happened), happened),
    ),
    { numRuns: 2000 },
  );
}

describe('a host', () => {
  test('that the gateways accept serves, and serves again after it was out of touch', () => {
    expect(last('accepted')).toBe('serving');
    expect(last('accepted', 'lapsed')).toBe('settling');
    expect(last('accepted', 'lapsed', 'accepted')).toBe('serving');
  });

  test('ends what has no session before it takes any, and goes on serving if it already did', () => {
    expect(last('ending')).toBe('settling');
    expect(last('accepted', 'lapsed', 'ending')).toBe('settling');
    expect(last('ending', 'ending', 'accepted')).toBe('serving');
    expect(last('accepted', 'ending')).toBe('serving');
    expect(last('drained', 'ending')).toBe('settling');
  });

  test('is drained and undrained by the answers to its heartbeats', () => {
    expect(last('accepted', 'drained')).toBe('draining');
    expect(last('accepted', 'drained', 'accepted')).toBe('serving');
  });

  test('waits for its name, and serves when it has it', () => {
    expect(last('name-taken')).toBe('name-taken');
    expect(last('name-taken', 'name-taken', 'lapsed')).toBe('name-taken');
    expect(last('name-taken', 'accepted')).toBe('serving');
  });
});

describe('after any events a host', () => {
  test('serves only if the last answer let it, and it was in touch since', () => {
    always((states, happened) => {
      if (states.at(-1) !== 'serving') return;
      expect(happened.findLast((event) => event !== 'ending')).toBe('accepted');
    });
  });

  test('that leaves never serves again, and that has left never comes back', () => {
    always((states, happened) => {
      const retired = happened.findIndex((event) => event === 'retired' || event === 'left');
      if (retired < 0) return;
      const since = new Set(states.slice(retired));
      expect(['leaving', 'left', 'removed']).toEqual(expect.arrayContaining([...since]));
      const left = states.indexOf('left');
      if (left >= 0) expect(states.slice(left)).not.toContain('leaving');
    });
  });

  test('that was removed stays removed', () => {
    always((states, happened) => {
      const removed = happened.indexOf('removed');
      if (removed >= 0) expect(new Set(states.slice(removed))).toEqual(new Set(['removed']));
    });
  });

  test('reports no seats before a gateway has accepted it, and a phase of its own only while it goes', () => {
    always((states, happened) => {
      const answered = happened.findIndex((event) => ['accepted', 'drained', 'ending'].includes(event));
      const before = answered < 0 ? states : states.slice(0, answered);
      for (const state of before.filter((each) => phaseOf(each) === 'up' && each !== 'removed')) {
        expect(offersSeats(state)).toBe(false);
      }
      for (const state of states) expect(phaseOf(state) === state).toBe(/^(leaving|left)$/.test(state));
    });
  });
});
