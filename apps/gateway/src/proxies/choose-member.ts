import type { ProxyPolicy, ProxyState } from '@turnpike/contract/proxies';

/** What a pool's policy needs to know of a member. */
export interface Member {
  id: string;
  position: number;
  state: ProxyState;
  stateAt: number;
}

/** Figures by the id of a member; one that is missing is 0. */
export type Figures = ReadonlyMap<string, number>;

export interface PoolFacts {
  policy: ProxyPolicy;
  /** The position that was taken last. */
  turn: number;
  /** Running sessions, bytes or keys: what the policy counts. */
  figures: Figures;
  /** The member that the caller's key has. */
  keyed?: string | undefined;
  random?: () => number;
}

/**
 * Chooses a member by the pool's policy. Of those that fail one is taken only when no other is left: the one that has
 * failed for longest, which is the likeliest to work again. Undefined if there are no members.
 */
export function chooseMember(members: readonly Member[], facts: PoolFacts): Member | undefined {
  const ordered = members.toSorted((a, b) => a.position - b.position);
  const healthy = ordered.filter(({ state }) => state !== 'failing');
  if (healthy.length === 0) return least(ordered, ({ stateAt }) => stateAt);
  const { policy, turn, figures, keyed, random = Math.random } = facts;
  switch (policy) {
    case 'round_robin':
      return healthy.find(({ position }) => position > turn) ?? healthy[0];
    case 'random':
      return healthy[Math.floor(random() * healthy.length)];
    case 'sticky':
      return healthy.find(({ id }) => id === keyed) ?? least(healthy, ({ id }) => figures.get(id) ?? 0);
    case 'least_sessions':
    case 'least_bytes':
      return least(healthy, ({ id }) => figures.get(id) ?? 0);
  }
}

/** The first of those with the lowest figure. */
function least(members: readonly Member[], figure: (member: Member) => number): Member | undefined {
  return members.reduce<Member | undefined>(
    (best, member) => (best === undefined || figure(member) < figure(best) ? member : best),
    undefined,
  );
}
