import { sql } from 'kysely';

/** States of sessions, written out in the statement: only then do both engines find the index of those rows. */

export const isActive = sql<boolean>`state = 'ACTIVE'`;
export const isStarting = sql<boolean>`state = 'STARTING'`;
/** Has a slot. */
export const isRunning = sql<boolean>`state in ('STARTING', 'ACTIVE')`;
