import type { Database } from '../store/database.ts';
import { isRunning } from '../store/session-states.ts';

/** A saved profile has at most one session at a time that will save it. */

/** Tells whether a running or starting session will save the profile. Call it under the account's lock. */
export async function hasWriter(db: Database, accountId: string, name: string): Promise<boolean> {
  const query = writtenProfiles(db, accountId).where('profile_name', '=', name).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Selects the profiles that running sessions will save. */
export function writtenProfiles(db: Database, accountId: string) {
  return db
    .selectFrom('sessions')
    .select('profile_name')
    .where('account_id', '=', accountId)
    .where(isRunning)
    .where('saves_profile', '=', 1);
}
