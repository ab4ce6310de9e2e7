import { type Static, Type } from 'typebox';

/** The saved profiles of an account; and its saved caches. */
export const maxSavedProfiles = 20;

export const SavedProfile = Type.Object({
  name: Type.String(),
  bytes: Type.Integer({ description: 'As it is kept, compressed' }),
  updatedAt: Type.String({ format: 'date-time', description: 'When it was last saved' }),
  inUse: Type.Boolean({ description: 'A session that will save it runs' }),
});
export type SavedProfile = Static<typeof SavedProfile>;

export const SavedProfileList = Type.Object({ profiles: Type.Array(SavedProfile) });
export type SavedProfileList = Static<typeof SavedProfileList>;

export const SavedCache = Type.Object(SavedProfile.properties, {
  description: 'A saved HTTP cache. It is kept like a profile',
});
export const SavedCacheList = Type.Object({ caches: Type.Array(SavedCache) });
export type SavedCacheList = Static<typeof SavedCacheList>;

export const DeletedProfile = Type.Object({ name: Type.String() });
