import { sql } from 'kysely';

/** Conditions on a session's state, with the state as a literal: only then do both engines use the partial index. */

export const isActive = sql<boolean>`state = 'ACTIVE'`;
export const isStarting = sql<boolean>`state = 'STARTING'`;
/** Holds a slot: STARTING or ACTIVE. */
export const isRunning = sql<boolean>`state in ('STARTING', 'ACTIVE')`;
