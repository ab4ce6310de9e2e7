import { profileNamePattern } from '@turnpike/contract/ids';
import { Type } from 'typebox';
import type { ApiDescription } from '../http/openapi/api-description.ts';

/** OpenAPI descriptions of the routes of saved profiles and caches. */

const common = { tag: 'Saved profiles', security: ['apiKey'] } as const;

export const profilesApi: ApiDescription = {
  ...common,
  id: 'listProfiles',
  summary: 'List saved profiles',
  answers: {
    200: {
      description: 'All saved profiles, by name.',
      example: {
        profiles: [{ name: 'shop', bytes: 48_213, updatedAt: '2026-11-15T12:00:00.000Z', inUse: false }],
      },
    },
  },
  errors: [],
};

export const deleteProfileApi: ApiDescription = {
  ...common,
  id: 'deleteProfile',
  summary: 'Delete a saved profile',
  description: 'Sessions that started with it go on. 409 while a session runs that will save it.',
  params: Type.Object({ name: Type.String({ pattern: profileNamePattern.source }) }),
  answers: { 200: { description: 'The profile is deleted.' } },
  errors: ['badRequest', 'notFound', 'profileInUse'],
};

export const cachesApi: ApiDescription = {
  ...common,
  id: 'listCaches',
  summary: 'List saved HTTP caches',
  answers: {
    200: {
      description: 'All saved HTTP caches, by name.',
      example: {
        caches: [{ name: 'shop', bytes: 4_182_903, updatedAt: '2026-11-15T12:00:00.000Z', inUse: false }],
      },
    },
  },
  errors: [],
};

export const deleteCacheApi: ApiDescription = {
  ...common,
  id: 'deleteCache',
  summary: 'Delete a saved HTTP cache',
  description: 'Sessions that started with it go on. 409 while a session runs that will save it.',
  params: Type.Object({ name: Type.String({ pattern: profileNamePattern.source }) }),
  answers: { 200: { description: 'The cache is deleted.' } },
  errors: ['badRequest', 'notFound', 'cacheInUse'],
};
