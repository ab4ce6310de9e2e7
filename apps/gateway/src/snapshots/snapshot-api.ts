import { snapshotIdPattern } from '@turnpike/contract/ids';
import { maxSnapshots, SnapshotRequest } from '@turnpike/contract/saved-profile';
import { Type } from 'typebox';
import { type ApiDescription, json } from '../http/openapi/api-description.ts';

/** OpenAPI descriptions of the routes of snapshots. */

const common = { tag: 'Snapshots', security: ['apiKey'] } as const;
const params = Type.Object({ id: Type.String({ pattern: snapshotIdPattern.source }) });
const example = {
  snapshot: 'snap_5f0c6a1be2d34f708192a3b4',
  browserId: 'br_8d1f0c6a1be2d34f70819a2b',
  name: 'signed in',
  bytes: 148_213,
  tabs: 2,
  lost: [],
  createdAt: '2026-11-18T12:00:00.000Z',
  expiresAt: '2026-12-18T12:00:00.000Z',
  inUse: true,
};

export const takeSnapshotApi: ApiDescription = {
  ...common,
  id: 'takeSnapshot',
  summary: 'Take a snapshot of a session',
  description: [
    'Keeps cookies, local and session storage, IndexedDB, tabs, the device and permissions. The session goes on.',
    'A create with `snapshot` begins with it, on any host, any number of times. The memory of scripts is not kept:',
    `pages are loaded again. An account has up to ${maxSnapshots} snapshots.`,
  ].join(' '),
  params: Type.Object({ id: Type.String({ description: 'The session id or the CDP id' }) }),
  body: json(SnapshotRequest, { keep: 30, name: 'signed in' }),
  answers: { 200: { description: 'The snapshot, which creates can name now.', example } },
  errors: [
    'badRequest',
    'sessionNotFound',
    'sessionEnded',
    'snapshotFailed',
    'tooManySnapshots',
    'tooManySnapshotCalls',
    'busy',
    'hostSilent',
  ],
};

export const snapshotsApi: ApiDescription = {
  ...common,
  id: 'listSnapshots',
  summary: 'List snapshots',
  answers: {
    200: { description: 'All snapshots, newest first.', example: { snapshots: [example] } },
  },
  errors: [],
};

export const snapshotApi: ApiDescription = {
  ...common,
  id: 'getSnapshot',
  summary: 'Read a snapshot',
  params,
  answers: { 200: { description: 'The snapshot.', example } },
  errors: ['badRequest', 'notFound'],
};

export const deleteSnapshotApi: ApiDescription = {
  ...common,
  id: 'deleteSnapshot',
  summary: 'Delete a snapshot',
  description: 'Sessions that began with it go on.',
  params,
  answers: { 200: { description: 'The snapshot is deleted.' } },
  errors: ['badRequest', 'notFound'],
};
