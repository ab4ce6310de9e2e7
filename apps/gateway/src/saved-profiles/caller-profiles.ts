import { profileNamePattern } from '@turnpike/contract/ids';
import type { SavedProfile } from '@turnpike/contract/saved-profile';
import { ApiError } from '../http/api-error.ts';
import { iso } from '../http/iso.ts';
import type { Database } from '../store/database.ts';
import { deleteProfile, listProfiles } from './saved-profile-store.ts';

/** An account's operations on its saved profiles, for the API and the dashboard. */

export async function listOwnProfiles(db: Database, accountId: string): Promise<SavedProfile[]> {
  const profiles = await listProfiles(db, accountId);
  return profiles.map(({ name, bytes, updated_at, inUse }) => ({
    ...{ name, bytes, inUse },
    updatedAt: iso(updated_at),
  }));
}

export async function deleteOwnProfile(db: Database, accountId: string, name: string): Promise<void> {
  const deletion = profileNamePattern.test(name) ? await deleteProfile(db, accountId, name) : 'not-found';
  if (deletion === 'in-use') throw new ApiError('profileInUse');
  if (deletion === 'not-found') throw new ApiError('notFound');
}
