import type { Database } from '../store/database.ts';
import { isRunning } from '../store/session-states.ts';

/** A saved profile or cache has at most one session at a time that will save it. */

/** What sessions save under a name, and the columns of a session that tell which one, and whether. */
export const savedKinds = {
  profile: { table: 'saved_profiles', name: 'profile_name', saves: 'saves_profile' },
  cache: { table: 'saved_caches', name: 'cache_name', saves: 'saves_cache' },
} as const;
export type SavedKind = keyof typeof savedKinds;

/** Tells whether a running or starting session will save it. Call it under the account's lock. */
export async function hasWriter(
  db: Database,
  kind: SavedKind,
  accountId: string,
  name: string,
): Promise<boolean> {
  return (await writtenNames(db, kind, accountId)).has(name);
}

/** The names that running sessions will save. */
export async function writtenNames(
  db: Database,
  kind: SavedKind,
  accountId: string,
): Promise<ReadonlySet<string>> {
  const { name, saves } = savedKinds[kind];
  const rows = await db
    .selectFrom('sessions')
    .select(`${name} as name`)
    .where('account_id', '=', accountId)
    .where(isRunning)
    .where(saves, '=', 1)
    .execute();
  return new Set(rows.flatMap((row) => row.name ?? []));
}
