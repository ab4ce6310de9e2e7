import { DeletedProfile, SavedProfileList } from '@turnpike/contract/saved-profile';
import type { FastifyInstance } from 'fastify';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { deleteProfileApi, profilesApi } from './saved-profile-api.ts';
import { deleteProfile, listProfiles } from './saved-profile-store.ts';

export function savedProfileRoutes(app: FastifyInstance, { db }: Gateway): void {
  app.get(
    '/user/api/profiles',
    { config: { api: profilesApi }, schema: { response: { 200: SavedProfileList } } },
    async ({ account }) => {
      const profiles = await listProfiles(db, account.id);
      return {
        profiles: profiles.map(({ name, bytes, updated_at, inUse }) => ({
          ...{ name, bytes, inUse },
          updatedAt: new Date(updated_at).toISOString(),
        })),
      };
    },
  );

  app.delete<{ Params: { name: string } }>(
    '/user/api/profiles/:name',
    { config: { api: deleteProfileApi }, schema: { response: { 200: DeletedProfile } } },
    async ({ account, params: { name } }) => {
      const deletion = await deleteProfile(db, account.id, name);
      if (deletion === 'in-use') throw new ApiError('profileInUse');
      if (deletion === 'not-found') throw new ApiError('notFound');
      return { name };
    },
  );
}
