import type { HostPhase } from '@turnpike/contract/host/heartbeat';

/** Where a host stands with the gateways. Only a `serving` one takes sessions. */
export type MembershipState =
  /** No gateway has accepted this run yet. */
  | 'joining'
  /** Another live host has its name. It waits until that one is gone. */
  | 'name-taken'
  /** It was out of touch, or is new. First it ends what has no session any more. */
  | 'settling'
  | 'serving'
  /** The operator lets it take no sessions. Running ones continue. */
  | 'draining'
  /** Its process is about to stop. Running sessions continue. */
  | 'leaving'
  /** It has sent, or is sending, the last heartbeat of this run. */
  | 'left'
  /** The gateways no longer accept this run: another has its name, or the operator removed it. */
  | 'removed';

export type MembershipEvent =
  /** A gateway accepted a heartbeat, and nothing keeps the host from taking sessions. */
  | 'accepted'
  /** A gateway accepted a heartbeat of a host that the operator drains. */
  | 'drained'
  /** A gateway accepted a heartbeat, and browsers without a session are still being ended. */
  | 'ending'
  /** No heartbeat was accepted for as long as a lease lasts. */
  | 'lapsed'
  | 'name-taken'
  | 'removed'
  | 'retired'
  | 'left';

/** The process decides to go, and the gateways may throw the host out, whatever state it is in. */
const exits = { retired: 'leaving', left: 'left', removed: 'removed' } as const;

/** An event without an entry changes nothing. */
const transitions: Record<MembershipState, Partial<Record<MembershipEvent, MembershipState>>> = {
  joining: {
    ...exits,
    accepted: 'serving',
    drained: 'draining',
    ending: 'settling',
    'name-taken': 'name-taken',
  },
  'name-taken': { ...exits, accepted: 'serving', drained: 'draining', ending: 'settling' },
  settling: { ...exits, accepted: 'serving', drained: 'draining', 'name-taken': 'name-taken' },
  // Ending a browser without a session does not keep it from serving: gateways know what else it runs.
  serving: { ...exits, drained: 'draining', lapsed: 'settling', 'name-taken': 'name-taken' },
  draining: {
    ...exits,
    accepted: 'serving',
    ending: 'settling',
    lapsed: 'settling',
    'name-taken': 'name-taken',
  },
  leaving: { left: 'left', removed: 'removed' },
  left: { removed: 'removed' },
  removed: {},
};

export const nextState = (state: MembershipState, event: MembershipEvent): MembershipState =>
  transitions[state][event] ?? state;

/** Whether the host reports its seats. Until it has settled, it reports none. */
export const offersSeats = (state: MembershipState): boolean =>
  state !== 'joining' && state !== 'name-taken' && state !== 'settling';

/** The phase that heartbeats report. */
export const phaseOf = (state: MembershipState): HostPhase =>
  state === 'leaving' || state === 'left' ? state : 'up';
