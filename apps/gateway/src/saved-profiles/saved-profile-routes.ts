import { apiRoutes } from '@turnpike/contract/dashboard/routes';
import type { Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';
import type { Context } from '../seams/context.ts';
import { deleteOwn, listOwn } from './caller-profiles.ts';
import { cachesApi, deleteCacheApi, deleteProfileApi, profilesApi } from './saved-profile-api.ts';

const auth = 'key-or-cookie';

export function savedProfileRoutes(app: Routes, { db }: Pick<Context, 'db'>): void {
  const { answer } = typedRoutes(app, apiRoutes);

  answer('GET /user/api/profiles', { config: { auth, api: profilesApi } }, async ({ account }) => ({
    profiles: await listOwn(db, 'profile', account.id),
  }));

  answer(
    'DELETE /user/api/profiles/:name',
    { config: { auth, api: deleteProfileApi } },
    async ({ account, params: { name } }) => {
      await deleteOwn(db, { kind: 'profile', accountId: account.id, name });
      return { name };
    },
  );

  answer('GET /user/api/caches', { config: { auth, api: cachesApi } }, async ({ account }) => ({
    caches: await listOwn(db, 'cache', account.id),
  }));

  answer(
    'DELETE /user/api/caches/:name',
    { config: { auth, api: deleteCacheApi } },
    async ({ account, params: { name } }) => {
      await deleteOwn(db, { kind: 'cache', accountId: account.id, name });
      return { name };
    },
  );
}
