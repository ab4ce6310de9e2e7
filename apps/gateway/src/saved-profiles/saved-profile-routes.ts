import { DeletedProfile, SavedCacheList, SavedProfileList } from '@turnpike/contract/saved-profile';
import type { Routes } from '../http/routes.ts';
import type { Context } from '../seams/context.ts';
import { deleteOwn, listOwn } from './caller-profiles.ts';
import { cachesApi, deleteCacheApi, deleteProfileApi, profilesApi } from './saved-profile-api.ts';

export function savedProfileRoutes(app: Routes, { db }: Pick<Context, 'db'>): void {
  app.get(
    '/user/api/profiles',
    { config: { auth: 'key', api: profilesApi }, schema: { response: { 200: SavedProfileList } } },
    async ({ account }) => ({ profiles: await listOwn(db, 'profile', account.id) }),
  );

  app.delete<{ Params: { name: string } }>(
    '/user/api/profiles/:name',
    { config: { auth: 'key', api: deleteProfileApi }, schema: { response: { 200: DeletedProfile } } },
    async ({ account, params: { name } }) => {
      await deleteOwn(db, { kind: 'profile', accountId: account.id, name });
      return { name };
    },
  );

  app.get(
    '/user/api/caches',
    { config: { auth: 'key', api: cachesApi }, schema: { response: { 200: SavedCacheList } } },
    async ({ account }) => ({ caches: await listOwn(db, 'cache', account.id) }),
  );

  app.delete<{ Params: { name: string } }>(
    '/user/api/caches/:name',
    { config: { auth: 'key', api: deleteCacheApi }, schema: { response: { 200: DeletedProfile } } },
    async ({ account, params: { name } }) => {
      await deleteOwn(db, { kind: 'cache', accountId: account.id, name });
      return { name };
    },
  );
}
