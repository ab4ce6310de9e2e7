/**
 * What a session with `standby` does:
 * - awake: its browser runs;
 * - settling: nobody has used it for long enough, and its processes are being stopped;
 * - asleep: they are stopped, and what is sent to it waits;
 * - waking: it has been used, and waits for its turn to go on;
 * - over: the session ends.
 */
export type StandbyState = 'awake' | 'settling' | 'asleep' | 'waking' | 'over';

/** `use`: somebody needs the browser. `stay`: it could not be stopped. */
export type StandbyEvent = 'settle' | 'stopped' | 'stay' | 'use' | 'woke' | 'end';

const transitions: Readonly<Record<StandbyState, Readonly<Partial<Record<StandbyEvent, StandbyState>>>>> = {
  awake: { settle: 'settling', end: 'over' },
  settling: { stopped: 'asleep', stay: 'awake', use: 'awake', end: 'over' },
  asleep: { use: 'waking', end: 'over' },
  waking: { woke: 'awake', end: 'over' },
  over: {},
};

/** Undefined: the event means nothing in this state. */
export const nextStandbyState = (state: StandbyState, event: StandbyEvent): StandbyState | undefined =>
  transitions[state][event];
