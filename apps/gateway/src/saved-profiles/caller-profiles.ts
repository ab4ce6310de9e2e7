import { profileNamePattern } from '@turnpike/contract/ids';
import type { SavedProfile } from '@turnpike/contract/saved-profile';
import { ApiError } from '../http/api-error.ts';
import { iso } from '../http/iso.ts';
import type { SavedKind } from '../limits/profile-writer-store.ts';
import type { Database } from '../store/database.ts';
import { deleteSaved, listSaved, type SavedKey } from './saved-profile-store.ts';

/** An account's operations on its saved profiles and caches, for the API and the dashboard. */

export async function listOwn(db: Database, kind: SavedKind, accountId: string): Promise<SavedProfile[]> {
  const saved = await listSaved(db, kind, accountId);
  return saved.map(({ name, bytes, updated_at, inUse }) => ({
    name,
    bytes,
    inUse,
    updatedAt: iso(updated_at),
  }));
}

export async function deleteOwn(db: Database, key: SavedKey): Promise<void> {
  const deletion = profileNamePattern.test(key.name) ? await deleteSaved(db, key) : 'not-found';
  if (deletion === 'in-use') throw new ApiError(key.kind === 'profile' ? 'profileInUse' : 'cacheInUse');
  if (deletion === 'not-found') throw new ApiError('notFound');
}
