import { DeletedProfile, SavedProfileList } from '@turnpike/contract/saved-profile';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../seams/context.ts';
import { deleteOwnProfile, listOwnProfiles } from './caller-profiles.ts';
import { deleteProfileApi, profilesApi } from './saved-profile-api.ts';

export function savedProfileRoutes(app: FastifyInstance, { db }: Pick<Context, 'db'>): void {
  app.get(
    '/user/api/profiles',
    { config: { api: profilesApi }, schema: { response: { 200: SavedProfileList } } },
    async ({ account }) => ({ profiles: await listOwnProfiles(db, account.id) }),
  );

  app.delete<{ Params: { name: string } }>(
    '/user/api/profiles/:name',
    { config: { api: deleteProfileApi }, schema: { response: { 200: DeletedProfile } } },
    async ({ account, params: { name } }) => {
      await deleteOwnProfile(db, account.id, name);
      return { name };
    },
  );
}
