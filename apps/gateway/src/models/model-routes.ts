import { DeletedModelEndpoint, ModelEndpoint, NewModelEndpoint } from '@turnpike/contract/page/model';
import { ApiError } from '../http/api-error.ts';
import { iso } from '../http/iso.ts';
import { parseBody } from '../http/parse-with.ts';
import type { Routes } from '../http/routes.ts';
import { associatedData } from '../secrets/associated-data.ts';
import { deleteModelApi, modelApi, putModelApi } from './model-api.ts';
import type { ModelContext } from './model-context.ts';
import { deleteModel, findModel, putModel } from './model-store.ts';

/** The model endpoint of an account: set, read, deleted. */
export function modelRoutes(app: Routes, { db, sealer, now }: ModelContext): void {
  const auth = 'key-or-cookie';
  app.get(
    '/user/api/model',
    { config: { auth, api: modelApi }, schema: { response: { 200: ModelEndpoint } } },
    async ({ account }) => {
      const row = await findModel(db, account.id);
      if (!row) throw new ApiError('noModel');
      return { url: row.url, model: row.model, createdAt: iso(row.created_at) };
    },
  );

  app.put(
    '/user/api/model',
    { config: { auth, api: putModelApi }, schema: { response: { 200: ModelEndpoint } } },
    async (request) => {
      const { url, model, key } = parseBody(request, NewModelEndpoint);
      if (!URL.canParse(url)) throw new ApiError('badRequest', { message: 'url must be an address' });
      const { id } = request.account;
      const createdAt = now();
      await putModel(db, {
        id,
        url,
        model,
        key_sealed: sealer.seal(key, associatedData.modelKey(id)),
        created_at: createdAt,
      });
      return { url, model, createdAt: iso(createdAt) };
    },
  );

  app.delete(
    '/user/api/model',
    { config: { auth, api: deleteModelApi }, schema: { response: { 200: DeletedModelEndpoint } } },
    async ({ account }) => ({ deleted: await deleteModel(db, account.id) }),
  );
}
