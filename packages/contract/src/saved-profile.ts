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

/** Snapshots of sessions: what a session has in its browser, kept so that others can begin with it. */

export const maxSnapshots = 20;
/** Tabs of a snapshot, and addresses before each tab's own. */
export const maxTabs = 20;
export const maxHistory = 20;

export const defaultKeepDays = 30;
export const maxKeepDays = 365;

export const SnapshotRequest = Type.Object({
  keep: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxKeepDays,
      description: `Days until it is deleted; default ${defaultKeepDays}`,
    }),
  ),
  name: Type.Optional(Type.String({ maxLength: 200, description: 'A name of your own' })),
});
export type SnapshotRequest = Static<typeof SnapshotRequest>;

export const Snapshot = Type.Object({
  snapshot: Type.String({ description: 'Its id, for `snapshot` of a create' }),
  browserId: Type.String({ description: 'The session that it was taken of' }),
  name: Type.Union([Type.String(), Type.Null()], { description: 'What its owner called it' }),
  bytes: Type.Integer({ description: 'As it is kept, compressed' }),
  tabs: Type.Integer({ description: 'Tabs that are opened again' }),
  lost: Type.Array(Type.String(), { description: 'What could not be read, in sentences' }),
  createdAt: Type.String({ format: 'date-time' }),
  expiresAt: Type.String({ format: 'date-time', description: 'When it is deleted' }),
  inUse: Type.Boolean({
    description: 'A session of its identity runs: another needs `fork=true`',
  }),
});
export type Snapshot = Static<typeof Snapshot>;

export const SnapshotList = Type.Object({ snapshots: Type.Array(Snapshot) });
export type SnapshotList = Static<typeof SnapshotList>;

export const DeletedSnapshot = Type.Object({ snapshot: Type.String() });
